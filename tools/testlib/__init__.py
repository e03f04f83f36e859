"""The tiers of tests, and how their results are counted."""
