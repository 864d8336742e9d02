#!/usr/bin/env perl
#
# META.json has what PGXN's meta specification 1.0.0 wants of an archive, and is true of what is here: versions, files
# and types. (What it says of words and forms, PGXN checks when it takes the archive.)

use strict;
use warnings;

use FindBin;
use JSON::PP;
use Test::More;

use lib $FindBin::Bin;
use Trial;

chdir "$FindBin::Bin/../.." or die "chdir: $!";

my $meta = eval { JSON::PP->new->utf8->decode(slurp('META.json')) };
ok($meta, 'META.json is JSON') or BAIL_OUT($@);
like($meta->{$_} // '', qr/\S/, "$_ is there") for qw(abstract description name version license maintainer);
is($meta->{'meta-spec'}{version}, '1.0.0', 'the version of the specification');
like($meta->{release_status}, qr/^(?:stable|testing|unstable)$/, 'the release status is one of three');
for my $name (sort keys %{ $meta->{provides} })
{
    my $it = $meta->{provides}{$name};
    ok(-e $_, "$_ is here") for "$name.control", @$it{qw(file docfile)};
    my ($default) = slurp("$name.control") =~ /^default_version\s*=\s*'(.*)'/m;
    is($it->{version}, "$default.0", "... of the extension's version $default");
}

# Every type is named to those who search. `provides` cannot do it: its names are those of extensions,
# and hll and tdigest are others' there.
my ($types) = slurp('Makefile') =~ /^TYPES = (.*)/m;
is(join(' ', grep { $meta->{description} !~ /\b\Q$_\E\b/ } split / /, $types), '',
    'the description names every type');

done_testing();
