#!/usr/bin/env perl
# Install scripts and golden values of released versions are as they were released.

use strict;
use warnings;

use Test::More;

my $found = `test/harness/freeze check`;
plan skip_all => 'no version is frozen' if $? >> 8 == 2;
is($found, '', 'frozen files');
is($?, 0, '... were looked at');

# The script is frozen with the release; golden values were before.
my ($version) = `cat sketches.control` =~ /^default_version\s*=\s*'(.*)'/m;
SKIP:
{
    skip "the install script of $version is not frozen yet: it is at the release, by make freeze", 1
      if `test/harness/freeze ready` eq '' && $? == 0;
    like(`cat src/upgrade/frozen`, qr{src/upgrade/sketches--\Q$version\E\.sql}, 'the install script is frozen');
}
done_testing();
