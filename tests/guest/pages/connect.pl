# Prints which of the sockets it can connect to; @ stands for the abstract namespace.
use Socket;
for my $path (@ARGV) {
    (my $name = $path) =~ s/^@/\0/;
    for my $type (SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET) {
        socket(my $socket, PF_UNIX, $type, 0) or die "socket: $!\n";
        print("$path\n"), last if connect($socket, pack_sockaddr_un($name));
    }
}
