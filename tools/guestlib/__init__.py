"""The throwaway Debian guest: image, machine, and running instances."""
