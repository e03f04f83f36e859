# A system call by its number.
my ($number, @arguments) = map { /^-?\d+$/ ? $_ + 0 : $_ } @ARGV;
my $result = syscall($number, @arguments);
die "$!\n" if $result < 0;
print "result $result\n";
