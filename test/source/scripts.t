#!/usr/bin/env perl
# The scripts run under bash 3.2 and with the tools of macOS and busybox, except those that only Debian can run; and
# shellcheck finds nothing.

use strict;
use warnings;

use File::Find;
use Test::More;

use lib 'test/harness';
use Trial;

my $NEWER = qr/(?:^|[^a-z=|'])
    (mapfile|readarray|declare\ -A|local\ -n|env\ -C|grep\ -P|readlink\ -f|sed\ -i|sort\ -V|xargs\ -r)(?:\ |$)/mx;
my %of_debian = map { $_ => 1 } qw(test/harness/across test/harness/deb test/harness/matrix);

# .ci and debian are not in the release archive.
my %text;
find({ no_chdir => 1, wanted => sub { $text{$_} = slurp($_) if -f } }, grep { -d } qw(.ci test debian packaging));
my @scripts = grep { $text{$_} =~ m{\A#!.*[/ ](?:ba)?sh$}m } sort keys %text;

is_deeply([ map { $text{$_} =~ $NEWER ? "$_: $1" : () } grep { !$of_debian{$_} } @scripts ],
    [], 'nothing that not every system has');
SKIP:
{
    skip 'needs shellcheck', 1 if system 'command -v shellcheck >/dev/null';
    is(`shellcheck -x -S warning @scripts 2>&1`, '', 'shellcheck');
}
done_testing();
