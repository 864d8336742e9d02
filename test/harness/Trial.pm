# Trial - what the tests of scripts share: files, and waiting for what another process does.

package Trial;

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes qw(sleep);

our @EXPORT = qw(slurp put wait_until gone);

# What a file says; nothing where there is none.
sub slurp
{
    my ($path) = @_;
    open my $in, '<', $path or return '';
    local $/ = undef;
    return <$in> // '';
}

# Another file of this name, so that what was built from the one before is older.
sub put
{
    my ($path, $text, $mode) = @_;
    unlink $path;
    open my $out, '>', $path or die "$path: $!\n";
    print $out $text;
    close $out or die "$path: $!\n";
    return !$mode || chmod $mode, $path;
}

# What takes a minute hangs.
sub wait_until
{
    my ($condition) = @_;
    for (1 .. 1200)
    {
        return 1 if $condition->();
        sleep 0.05;
    }
    return 0;
}

# kill with 0 asks for a process that may be another user's. A zombie is gone: in a container there may be nobody who asks
# for its status.
sub gone
{
    my ($pid) = @_;
    return wait_until(sub { !kill(0, $pid) && $!{ESRCH} || slurp("/proc/$pid/stat") =~ /\) [ZX] / });
}

1;
