# Steal - how much of the processors' time the host of this virtual machine gave to others.
#
#   my $since = Steal->now;
#   ...
#   my $share = $since->share;    # of the time since then, 0 to 1; 0 where the kernel does not say
#
# Neither \timing nor the backend's own processor time knows of it: a stolen millisecond counts as
# one of work.

package Steal;

use strict;
use warnings;

use List::Util qw(sum0);

# The columns of the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal;
# what follows is contained in the first two.
use constant { STEAL => 7, COLUMNS => 8 };

sub now
{
    my ($class, $path) = @_;
    my $self = bless { path => $path // '/proc/stat' }, $class;
    $self->{ticks} = $self->ticks;
    return $self;
}

sub ticks
{
    my ($self) = @_;
    open my $file, '<', $self->{path} or return [ (0) x COLUMNS ];
    my ($name, @ticks) = split ' ', readline($file) // '';
    return [ map { $_ // 0 } @ticks[ 0 .. COLUMNS - 1 ] ];
}

sub share
{
    my ($self) = @_;
    my ($before, $now) = ($self->{ticks}, $self->ticks);
    my @spent = map { $now->[$_] - $before->[$_] } 0 .. COLUMNS - 1;
    my $all = sum0(@spent);
    return $all > 0 ? $spent[STEAL] / $all : 0;
}

1;
