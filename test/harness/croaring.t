#!/usr/bin/env perl
#
# Every way to CRoaring that make deps has (croaring.sh), the ones before it shut: each ends by combining two sets, and
# one that has other sets is passed over. apt is this system's, its mirror a directory with three tiny packages; only
# what root would install is a stand-in. So is CRoaring: sets of few values, and with WRONG those of another operation.

use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
use Digest::SHA qw(sha256_hex);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use FindBin;
use POSIX qw(setsid);
use Test::More;

use lib $FindBin::Bin;
use Trial;

my $top = "$FindBin::Bin/../..";
for my $tool (qw(apt-get apt-cache apt-config dpkg-deb cc make pkg-config))
{
    plan skip_all => "needs $tool" if system "sh -c 'command -v $tool' >/dev/null";
}

my $scratch = tempdir(CLEANUP => 1);
chmod 0755, $scratch;    # apt reads its mirror as another user
chomp(my $arch = `dpkg --print-architecture`);
chomp(my ($suite, $release) = split /\n/, `bash -c '. "$top/test/harness/debian.sh"; newest_suite; . "\$os_release"; echo "\${UBUNTU_CODENAME:-\$VERSION_CODENAME}"'`);
my ($tried) = slurp("$top/test/harness/croaring.sh") =~ /^croaring_tried='([\d.]+)/m or die "no version that was tried\n";

# ---- a CRoaring, its packages and their mirror ----------------------------------------------------

my $functions = join '', map { "$_\n" } 'typedef struct roaring_bitmap_s roaring_bitmap_t;',
  (map { "roaring_bitmap_t *roaring_bitmap_$_(const roaring_bitmap_t *, const roaring_bitmap_t *);" } qw(and or xor andnot)),
  'void roaring_bitmap_free(const roaring_bitmap_t *);',
  'roaring_bitmap_t *roaring_bitmap_portable_deserialize_frozen(const char *);',
  'roaring_bitmap_t *roaring_bitmap_portable_deserialize_safe(const char *, size_t);',
  'size_t roaring_bitmap_portable_serialize(const roaring_bitmap_t *, char *);',
  'size_t roaring_bitmap_portable_size_in_bytes(const roaring_bitmap_t *);';

# Values below 32, and 65,536 more: what combines.c has.
my $code = <<'C';
#include <roaring/roaring.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct roaring_bitmap_s { uint32_t half[2]; };

static roaring_bitmap_t *
make(uint32_t low, uint32_t high)
{
    roaring_bitmap_t *set = malloc(sizeof *set);
    set->half[0] = low, set->half[1] = high;
    return set;
}

#ifdef WRONG
#define xor(x, y) ((x) | (y))
#else
#define xor(x, y) ((x) ^ (y))
#endif
#define and(x, y) ((x) & (y))
#define or(x, y) ((x) | (y))
#define andnot(x, y) ((x) & ~(y))
#define OPERATION(op) roaring_bitmap_t *roaring_bitmap_##op(const roaring_bitmap_t *a, const roaring_bitmap_t *b) \
    { return make(op(a->half[0], b->half[0]), op(a->half[1], b->half[1])); }
OPERATION(and) OPERATION(or) OPERATION(xor) OPERATION(andnot)

void roaring_bitmap_free(const roaring_bitmap_t *set) { free((void *)set); }

roaring_bitmap_t *
roaring_bitmap_portable_deserialize_frozen(const char *bytes)
{
    roaring_bitmap_t *set = make(0, 0);
    uint16_t words[32];

    memcpy(words, bytes, sizeof words);
    for (int key = 0, at = 12; key < 2; key++)
        for (int i = 0; i <= words[5 + 2 * key]; i++)
            set->half[key] |= 1u << words[at++];
    return set;
}

roaring_bitmap_t *
roaring_bitmap_portable_deserialize_safe(const char *bytes, size_t size)
{
    return size == 0 ? NULL : roaring_bitmap_portable_deserialize_frozen(bytes);
}

size_t
roaring_bitmap_portable_serialize(const roaring_bitmap_t *set, char *bytes)
{
    uint16_t words[88] = {12346, 0, 2, 0, 0, 0, 1, 0, 24};
    int at = 12;

    for (int key = 0; key < 2; key++) {
        int first = at;

        words[8 + 2 * key] = 2 * at;
        for (int value = 0; value < 32; value++)
            if (set->half[key] >> value & 1)
                words[at++] = value;
        words[5 + 2 * key] = at - first - 1;
    }
    memcpy(bytes, words, 2 * at);
    return 2 * at;
}

size_t
roaring_bitmap_portable_size_in_bytes(const roaring_bitmap_t *set)
{
    char bytes[200];
    return roaring_bitmap_portable_serialize(set, bytes);
}
C

sub run
{
    my ($command) = @_;
    system($command) == 0 or die "failed: $command\n";
    return;
}

my %sources = (right => $code, wrong => "#define WRONG\n$code");
for my $kind (keys %sources)
{
    my $dir = "$scratch/$kind";
    make_path("$dir/include/roaring", "$dir/src");
    put("$dir/include/roaring/roaring.h", "#include <stddef.h>\n$functions");
    put("$dir/include/roaring/roaring_version.h", qq{#define ROARING_VERSION "$tried"\n});
    put("$dir/src/roaring.c", $sources{$kind});
    run("cc -shared -fPIC -I'$dir/include' -Wl,-soname,libroaring.so.21 -o '$dir/libroaring.so.21' '$dir/src/roaring.c'");
}

# Files below a directory, by digest and size, as apt lists them.
sub listed
{
    my ($digest, $dir, @files) = @_;
    return join '', map { ' ' . join(' ', $digest->(slurp("$dir/$_")), -s "$dir/$_", $_) . "\n" } @files;
}

# A mirror with an index that names a source and two binary packages. What is undef is named, and its files are missing.
sub mirror
{
    my ($source, $binary, $version) = @_;
    my $mirror = "$scratch/mirror";
    remove_tree($mirror, "$scratch/package");
    my ($dist, $pool) = ("$mirror/dists/$suite", "$mirror/pool");
    make_path($pool, map { "$dist/main/$_" } 'source', "binary-$arch");

    my $tar = "croaring_$version.orig.tar.gz";
    put("$pool/croaring_$version-1.dsc", "Source: croaring\n");
    run("tar -c -z -C '$scratch' -f '$pool/$tar' --transform='s,^[a-z]*,croaring-$version,' ${\ ($source // 'wrong')}");
    my @files = ($tar, "croaring_$version-1.dsc");
    put("$dist/main/source/Sources", "Package: croaring\nFormat: 3.0 (quilt)\nBinary: libroaring-dev\nArchitecture: any\nVersion: $version-1\n"
          . "Directory: pool\nChecksums-Sha256:\n" . listed(\&sha256_hex, $pool, @files) . "Files:\n" . listed(\&md5_hex, $pool, @files));
    unlink "$pool/$tar" if !defined $source;

    my $packages = '';
    for my $name (qw(libroaring21 libroaring-dev))
    {
        my $package = "$scratch/package/$name";
        make_path("$package/DEBIAN", "$package/usr/share/doc/$name", "$package/usr/lib/here");
        my $control = "Package: $name\nVersion: $version+ds-0.1\nArchitecture: $arch\nMaintainer: nobody <nobody\@localhost>\n"
          . ($name =~ /dev/ ? "Depends: libroaring21\n" : '') . "Description: a stand-in\n";
        put("$package/DEBIAN/control", $control);
        put("$package/usr/share/doc/$name/copyright", "everybody's\n");
        run("cp '$scratch/${\ ($binary // 'wrong')}/libroaring.so.21' '$package/usr/lib/here/'") if $name !~ /dev/;
        run("dpkg-deb --root-owner-group -Zgzip -z1 --build '$package' '$pool/$name.deb' >/dev/null");
        $packages .= $control . "Filename: pool/$name.deb\nSize: ${\ -s qq($pool/$name.deb)}\n"
          . "SHA256: ${\ sha256_hex(slurp(qq($pool/$name.deb)))}\n\n";
        unlink "$pool/$name.deb" if !defined $binary;
    }
    put("$dist/main/binary-$arch/Packages", $packages);
    put("$dist/Release", "Suite: $suite\nComponents: main\nArchitectures: $arch\nDate: Sat, 01 Aug 2026 00:00:00 UTC\nSHA256:\n"
          . listed(\&sha256_hex, $dist, 'main/source/Sources', "main/binary-$arch/Packages"));
    return;
}

put("$scratch/sources.list", "deb [trusted=yes] file:$scratch/mirror $release main\n");
put("$scratch/apt.conf", qq{Dir::Etc::SourceList "$scratch/sources.list";\nDir::Etc::SourceParts "/nowhere";\n});

# ---- a machine ------------------------------------------------------------------------------------

# What the loader finds first: no libraries, until there is one.
my $libraries = "$scratch/libraries";
make_path("$scratch/bin", $libraries);
chomp(my %path = map { $_ => `sh -c "command -v $_"` } qw(apt-get apt-cache));
put("$scratch/bin/sudo", "#!/bin/sh\nexit 1\n", 0755);
put("$scratch/bin/id", "#!/bin/sh\necho \$USER_ID\n", 0755);
put("$scratch/bin/apt-get", <<"SH", 0755);
#!/bin/sh
case "\$*" in
    *' install '*libroaring-dev*) cp "$scratch/\$INSTALLED/libroaring.so.21" '$libraries/' ;;
    *) exec '$path{'apt-get'}' "\$@" ;;
esac
SH
# The system's own packages are asked for; of those of the newest suite apt knows.
put("$scratch/bin/apt-cache", <<"SH", 0755);
#!/bin/sh
case "\$APT_CONFIG \$*" in
    */apt/conf' '*) exec '$path{'apt-cache'}' "\$@" ;;
    *'policy libroaring-dev') echo "  Candidate: \$CANDIDATE" ;;
esac
SH

my $checkout;
my $checkouts = 0;

# Another checkout, on a machine where nothing is.
sub machine
{
    $checkout = "$scratch/checkout" . ++$checkouts;
    make_path("$checkout/test", "$checkout/src");
    run("cp -R '$top/test/harness' '$checkout/test/' && cp -R '$top/src/core' '$top'/src/*.mk '$checkout/src/'");
    put("$libraries/libroaring.so.$_", '') for 16 .. 27;
    return;
}

# What deps does here: its status and what it prints, at no terminal. Without root, and with an old package, unless %env
# says otherwise.
sub deps
{
    my ($arguments, %env) = @_;
    my $pid = open(my $out, '-|') // die "fork: $!\n";
    if (!$pid)
    {
        setsid();
        delete @ENV{qw(CROARING CROARING_DIR MAKEFLAGS)};
        %ENV = (%ENV, PATH => "$scratch/bin:$ENV{PATH}", TMPDIR => $scratch, APT_CONFIG => "$scratch/apt.conf",
            LD_LIBRARY_PATH => $libraries, USER_ID => 1000, CANDIDATE => '0.2.66+ds-2', INSTALLED => 'right', %env);
        open STDERR, '>&', \*STDOUT or die "stderr: $!\n";
        exec "$checkout/test/harness/deps", split ' ', $arguments or die "deps: $!\n";
    }
    my $output = join '', <$out>;
    close $out;
    return ($? >> 8, $output);
}

# That a way was taken: what is in the checkout afterwards, what was said, and that the tests' own check agrees.
sub takes
{
    my ($name, $is, $said, %env) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($status, $output) = deps('croaring', %env);
    is($status, 0, $name) or diag($output);
    is(join(' ', grep { -e "$checkout/$_" } qw(croaring croaring-library)), $is, '... by ' . ($is || 'what the system has'));
    like($output, $said, '... and says so');
    unlike((deps('check test', %env))[1], qr/CRoaring/, '... two sets are combined') or diag(slurp("$checkout/build/combines/log"));
    return $output;
}

# ---- 1. what is named or here ---------------------------------------------------------------------

mirror('right', 'right', '4.99');
my $nothing = qr/\A\z/;
machine();
takes('CROARING_DIR', '', $nothing, CROARING_DIR => "$scratch/right");
my ($status, $output) = deps('croaring', CROARING_DIR => "$scratch/wrong");
is($status, 1, '... with other sets: is named, so that nothing comes in its place');
like($output, qr/does not combine two sets.*\Q$scratch\E\/wrong/, '... and is told');
put("$checkout/croaring.path", "$scratch/right\n");
takes('croaring.path', '', $nothing);
machine();
run("cp -R '$scratch/right' '$checkout/croaring'");
takes('sources in croaring', 'croaring', $nothing);
machine();
run("cp '$scratch/right/libroaring.so.21' '$libraries/'");
takes('a library of the system', '', $nothing, USER_ID => 0, CANDIDATE => $tried);
takes('... which CROARING=private does not take', 'croaring', qr/unpacked CRoaring/, CROARING => 'private', USER_ID => 0, CANDIDATE => $tried);
machine();
make_path("$checkout/croaring-library");
run("cp '$scratch/right/libroaring.so.21' '$libraries/'");
put("$checkout/croaring-library/sketches-libroaring.so", '');
takes('a file in croaring-library that is none: the system has another', 'croaring-library', $nothing);
takes('... which CROARING=private does not take', 'croaring', qr/removing it.*unpacked CRoaring/s, CROARING => 'private');
machine();
make_path("$checkout/croaring-library");
run("cp '$scratch/right/libroaring.so.21' '$checkout/croaring-library/sketches-libroaring.so'");
takes('a library in croaring-library', 'croaring-library', $nothing);
run("cp '$scratch/wrong/libroaring.so.21' '$checkout/croaring-library/sketches-libroaring.so'");
takes('... with other sets', 'croaring', qr/removing it/);

machine();
run("cp '$scratch/right/libroaring.so.21' '$libraries/'; ln -sf libroaring.so.21 '$libraries/libroaring.so'");
put("$scratch/roaring.pc", "Name: roaring\nDescription: a stand-in\nVersion: $tried\nLibs: -L$libraries -lroaring\nCflags: -I$scratch/right/include\n");
takes('CROARING=link', '', $nothing, CROARING => 'link', PKG_CONFIG_PATH => $scratch);
run("cp '$scratch/wrong/libroaring.so.21' '$libraries/'");
($status, $output) = deps('croaring', CROARING => 'link', PKG_CONFIG_PATH => $scratch);
like($output, qr/^deps: going on without CRoaring 4 or later, .*CROARING=link:$/m, '... with other sets: nothing else comes in its place');

# ---- 2. to 4. -------------------------------------------------------------------------------------

# Open are all ways, or those from the third on, or the fourth alone.
machine();
takes('the system\'s package, by root', '', qr/installing libroaring-dev.*CRoaring $tried combines sets$/s, USER_ID => 0, CANDIDATE => "$tried+ds-1");
machine();
takes('... with other sets', 'croaring', qr/$tried does not combine two sets here/, USER_ID => 0, CANDIDATE => "$tried+ds-1", INSTALLED => 'wrong');
mirror('right', 'right', $tried);
machine();
takes('the sources of the newest suite, without root', 'croaring', qr/CRoaring $tried combines sets$/);
is(-e "$libraries/libroaring.so.21" && -s _, 0, '... nothing is installed');
mirror('wrong', 'right', '4.99');
machine();
takes('... with other sets', 'croaring-library', qr/$tried does not combine two sets here/);
mirror(undef, 'right', '4.99');
for my $user (1000, 0)
{
    machine();
    my $said = takes("the library of the newest suite's package, user $user", 'croaring-library', qr/that mirror has none.*unpacked CRoaring 4.99/s, USER_ID => $user);
    like($said, qr/^deps: CRoaring 4\.99 combines sets; all tests ran with $tried/m, '... another version than was tried: is noted');
    is(sprintf('%o', (stat "$checkout/croaring-library/sketches-libroaring.so")[2] & 0777), '644', '... the server can read it');
    takes('... and once more', 'croaring-library', $nothing, USER_ID => $user);
}

# ---- 5. words -------------------------------------------------------------------------------------

for my $binary (undef, 'wrong')
{
    mirror(undef, $binary, '4.99');
    machine();
    my ($before) = (deps('check test'))[1];
    like($before, qr/^  - CRoaring 4/m, 'no CRoaring: is named');
    ($status, $output) = deps('croaring');
    is($status, 0, '... nor is there one: no failure') or diag($output);
    is(join(' ', glob "$checkout/croaring*"), '', '... nothing is left') if $binary;
    for my $said ($output, (deps('check test'))[1])
    {
        like($said, qr/libroaring-dev.*git clone .*croaring\.path/s, '... how it is had');
        unlike($said =~ s/^To get it.*apt-get.*$//mr, qr/make deps/, '... not by what could not get it');
    }
}

done_testing();
