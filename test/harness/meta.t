#!/usr/bin/env perl
#
# META.json has what PGXN's meta specification 1.0.0 wants of an archive, and is true of what is here: versions, files
# and types. (What it says of words and forms, PGXN checks when it takes the archive.)

use strict;
use warnings;

use File::Temp qw(tempdir);
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
    is($it->{version}, $default =~ s/^\d+\.\d+\K$/.0/r, "... of the extension's version $default");
}

# Every type is named to those who search. `provides` cannot do it: its names are those of extensions,
# and hll and tdigest are others' there.
my ($types) = slurp('Makefile') =~ /^TYPES = (.*)/m;
is(join(' ', grep { $meta->{description} !~ /\b\Q$_\E\b/ } split / /, $types), '',
    'the description names every type');

# Who publishes it is filled in from one file; without it the archive is good, too, and says nothing.
my $copy = tempdir(CLEANUP => 1);
my $empty = slurp('packaging/maintainer');
my $spec = slurp('packaging/sketches.spec');
for my $filled (0, 1)
{
    put("$copy/prepare", slurp('packaging/prepare'), 0755);
    put("$copy/maintainer", $filled ? "name='A | B & C'\naddress=a\@b.invalid\nrepository=https://b.invalid/s\n" : $empty);
    put("$copy/$_", slurp($_)) for 'META.json';
    put("$copy/sketches.spec", $spec);
    is(system("'$copy/prepare' '$copy/META.json' '$copy/sketches.spec'"), 0, 'packaging/prepare');
    my $prepared = JSON::PP->new->utf8->decode(slurp("$copy/META.json"));
    is($prepared->{maintainer}, $filled ? 'A | B & C <a@b.invalid>' : $meta->{maintainer}, '... the maintainer');
    is($prepared->{resources}{repository}{url}, $filled ? 'https://b.invalid/s.git' : undef, '... the repository');
    delete @$prepared{qw(maintainer resources)};
    is_deeply($prepared, { map { $_ eq 'maintainer' ? () : ($_ => $meta->{$_}) } keys %$meta }, '... and all else as it was');
    is(join('', slurp("$copy/sketches.spec") =~ /^URL: (.*)/m), $filled ? 'https://b.invalid/s' : '', '... and that of the spec');
    unlike(slurp("$copy/sketches.spec"), qr/\@[A-Z]+\@/, '... without a word left');
}
my ($of_spec) = $spec =~ /^Version: (.*)/m;
my ($of_nix) = slurp('packaging/default.nix') =~ /^  version = "(.*)";/m;
is("$of_spec $of_nix", "$meta->{version} $meta->{version}", 'the versions of the spec and of the Nix expression');

done_testing();
