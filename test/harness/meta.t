#!/usr/bin/env perl
#
# META.json against PGXN's meta specification 1.0.0, and against what is here: versions and files
# that it names.

use strict;
use warnings;

use FindBin;
use JSON::PP;
use Test::More;

chdir "$FindBin::Bin/../.." or die "chdir: $!";

sub slurp
{
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!";
    local $/;
    return <$in>;
}

my $SEMVER = qr/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
my @LICENSES = qw(agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3
  gpl_1 gpl_2 gpl_3 lgpl_2_1 lgpl_3_0 mit mozilla_1_0 mozilla_1_1 openssl perl_5 postgresql qpl_1_0
  ssleay sun zlib open_source restricted unrestricted unknown);

my $meta = eval { JSON::PP->new->utf8->decode(slurp('META.json')) };
ok($meta, 'META.json is JSON') or BAIL_OUT($@);

my %known = map { $_ => 1 } qw(abstract maintainer license provides name version meta-spec
  description generated_by tags no_index prereqs release_status resources);
is(join(' ', grep { !$known{$_} && !/^x_/i } sort keys %$meta),
    '', 'no key that the specification lacks');
for my $key (qw(abstract description name version license))
{
    like($meta->{$key} // '', qr/\S/, "$key is there");
}
unlike($meta->{name}, qr{[\x00-\x20\\/]}, 'the name is one');
my @maintainers = ref $meta->{maintainer} ? @{ $meta->{maintainer} } : ($meta->{maintainer});
ok((@maintainers && !grep { !/\S/ } @maintainers), 'it has a maintainer');
ok((grep { $_ eq $meta->{license} } @LICENSES), 'the license is one of the list');
like($meta->{version}, $SEMVER, 'the version is a semantic one');
like($meta->{release_status}, qr/^(?:stable|testing|unstable)$/,
    'the release status is one of three');
is($meta->{'meta-spec'}{version}, '1.0.0', 'the version of the specification');
like($meta->{'meta-spec'}{url}, qr{^https?://pgxn\.org/meta/spec\.txt$}, '... and where it is');
is(join(' ', grep { ref || !length || length > 255 || /[\x00-\x1f]/ } @{ $meta->{tags} }),
    '', 'tags are short texts');

for my $name (sort keys %{ $meta->{provides} })
{
    my $it = $meta->{provides}{$name};
    ok(-e "$name.control", "$name.control is here");
    ok(-e $it->{$_}, "... $_ $it->{$_} is here") for qw(file docfile);
    like($it->{version}, $SEMVER, '... its version is a semantic one');
    my ($default) = slurp("$name.control") =~ /^default_version\s*=\s*'(.*)'/m;
    is($it->{version}, "$default.0", "... of the extension's version $default");
    like($it->{abstract}, qr/\S/, '... it says what it is');
}

my %phase = map { $_ => 1 } qw(configure build test runtime develop);
my %relation = map { $_ => 1 } qw(requires recommends suggests conflicts);
for my $phase (sort keys %{ $meta->{prereqs} })
{
    ok($phase{$phase}, "$phase is a phase");
    for my $relation (sort keys %{ $meta->{prereqs}{$phase} })
    {
        ok($relation{$relation}, "$relation is a relation");
        my $of = $meta->{prereqs}{$phase}{$relation};
        is(join(' ', grep { $of->{$_} !~ /^(?:[<>=!]=?\s*)?\d+(?:\.\d+){2}$|^0$/ } sort keys %$of),
            '', '... to versions');
    }
}

my %resource = (homepage => '', bugtracker => 'HASH', repository => 'HASH');
for my $name (grep { !/^x_/i } sort keys %{ $meta->{resources} })
{
    is(ref $meta->{resources}{$name}, $resource{$name}, "the resource $name has its form");
}

# Every type is named to those who search. `provides` cannot do it: its names are those of extensions,
# and hll and tdigest are others' there.
my ($types) = slurp('Makefile') =~ /^TYPES = (.*)/m;
is(join(' ', grep { $meta->{description} !~ /\b\Q$_\E\b/ } split / /, $types), '',
    'the description names every type');

done_testing();
