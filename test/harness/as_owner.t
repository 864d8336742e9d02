#!/usr/bin/env perl
#
# test/harness/as-owner: what root does by sudo in a user's checkout is done as that user, and nothing else.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

plan skip_all => 'needs root' if $> != 0;
my ($name, $user, $group) = (getpwnam 'nobody')[0, 2, 3];
plan skip_all => 'needs a user nobody' if !$user;

my $checkout = tempdir(CLEANUP => 1);
my $as_owner = "$checkout/as-owner";
copy("$FindBin::Bin/as-owner", $as_owner) or die "copy: $!";
chmod 0755, $checkout, $as_owner or die "chmod: $!";

# Who runs a command where the checkout is $owner's and sudo was called by $caller; and what as-owner alone says.
sub runs_as
{
    my ($owner, $caller) = @_;
    chown $owner, -1, $checkout or die "chown: $!";
    local $ENV{SUDO_UID} = $caller;
    local $ENV{SUDO_GID} = $group;
    delete $ENV{SUDO_UID} if !defined $caller;
    my $status = system($as_owner) >> 8;
    return "$status " . `'$as_owner' sh -c 'id -u; id -g; id -G; echo \$USER \$SUDO_UID'` =~ s/\n/ /gr;
}

is(runs_as($user, $user), "0 $user $group $group $name ", 'the user who called sudo');
like(runs_as($user, undef), qr/^1 0 /, 'root who logged in');
like(runs_as(0, $user), qr/^1 0 /, 'in a checkout of root');
like(runs_as($user, $user + 1), qr/^1 0 /, 'in a checkout of another user');

system($as_owner, 'sh', '-c', 'exit 7');
is($? >> 8, 7, 'the exit status comes back');
like(`'$as_owner' /nosuch 2>&1`, qr{^as-owner: /nosuch: }, 'a command that is not there');

done_testing();
