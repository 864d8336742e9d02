#!/usr/bin/env perl
#
# The pictures of use in doc are what test/demo/pictures draws of the pages' own data.

use strict;
use warnings;

use File::Temp qw(tempdir);
use FindBin qw($Bin);
use Test::More;

my $scratch = tempdir(CLEANUP => 1);
is(system("$Bin/../harness/with-server", '--', $^X, "$Bin/pictures", $scratch), 0, 'drawn');
my @drawn = map { s{.*/}{}r } glob "$scratch/*.svg";
is("@drawn", 'rollups-users-dark.svg rollups-users-light.svg users-dark.svg users-light.svg', 'twice each');
is(system('cmp', '-s', "$scratch/$_", "$Bin/../../doc/$_"), 0, "doc/$_ is it (test/harness/with-server -- test/demo/pictures draws it anew)") for @drawn;
done_testing();
