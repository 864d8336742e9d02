# shellcheck shell=bash
#
# CRoaring for the extension (src/croaring.mk says in which ways it comes in). Sourced by test/harness/deps.
#
#   has_croaring               sources are there, or a library that can be opened or linked
#   croaring_lacks             what is missing, for people
#   get_croaring               gets it: sources from the newest suite (debian.sh), for which no root is needed; else
#                              the system's library, 4.0 or later
#   get_croaring_for PROCESSOR ARCHITECTURE
#                              unpacks the newest library into build/cross/PROCESSOR/debian

croaring_dir() {
    if [ -n "${CROARING_DIR:-}" ]; then
        echo "$CROARING_DIR"
    elif [ -e croaring.path ]; then
        sed -n 1p croaring.path
    elif [ -d croaring ]; then
        echo croaring
    fi
}

croaring_lacks() {
    local dir
    dir=$(croaring_dir)
    if [ -n "$dir" ]; then
        echo "CRoaring's sources, in $dir (CROARING_DIR or croaring.path)"
    else
        echo 'CRoaring 4 or later, its sources or its library'
    fi
}

has_croaring() {
    local dir
    dir=$(croaring_dir)
    if [ -n "$dir" ]; then
        [ -d "$dir/include/roaring" ]
        return
    fi
    croaring_opens || pkg-config --atleast-version=4 roaring 2>/dev/null
}

# Opens it as the extension does.
croaring_opens() {
    local interfaces
    interfaces=$(sed -n 's/^#define M[A-Z]*_INTERFACE //p' src/core/roaring/croaring.c)
    # shellcheck disable=SC2086  # two words
    perl -MDynaLoader -e '
        exit !grep { DynaLoader::dl_load_file("libroaring.so.$_", 0) } $ARGV[0] .. $ARGV[1]' $interfaces
}

tell_croaring_sources() {
    echo 'CRoaring can be compiled in from its sources:' >&2
    echo '  git clone https://github.com/RoaringBitmap/CRoaring' >&2
    # shellcheck disable=SC2016  # to be typed as it is
    echo '  echo "$PWD/CRoaring" >croaring.path' >&2
}

# Everything but the algebra of sets works without it, so its lack is told, and is no failure.
get_croaring() {
    ! has_croaring || return 0
    [ -z "$(croaring_dir)" ] || fail "not found: $(croaring_lacks)"
    if have_apt; then
        note "fetching the sources of CRoaring from the suite $(newest_suite), for this checkout only"
        ! croaring_sources || return 0
        note 'that mirror has none'
        if can_be_root && croaring_of_system && has_croaring; then
            return
        fi
    fi
    note "going on without $(croaring_lacks):"
    note 'what combines sets of roaring and roaring64 raises an error, and its tests fail'
    tell_croaring_sources
}

croaring_sources() {
    newest_apt deb-src "$(dpkg --print-architecture)" unpack_croaring 2>/dev/null || return 1
    note "unpacked CRoaring $(sed -n 's/.*ROARING_VERSION "\(.*\)"/\1/p' croaring/include/roaring/roaring_version.h)"
}

# apt-get compares the checksums of what it downloads with those that the archive signed.
unpack_croaring() {
    (cd "$work/apt/files" && quietly apt-get -q source --download-only croaring) || return 1
    rm -rf croaring.new
    mkdir croaring.new
    tar -x -f "$(echo "$work"/apt/files/croaring_*.orig.tar.*)" -C croaring.new --strip-components=1 \
        --no-same-owner
    if [ ! -d croaring.new/include/roaring ]; then
        rm -rf croaring.new
        return 1
    fi
    own croaring.new
    mv croaring.new croaring
}

croaring_of_system() {
    local candidate
    candidate=$(apt_cache --quiet=2 policy libroaring-dev 2>/dev/null |
        sed -n 's/^ *Candidate: *\([0-9].*\)/\1/p')
    [ -n "$candidate" ] && dpkg --compare-versions "$candidate" ge 4 && apt_install libroaring-dev
}

download_croaring() {
    local version library
    version=$(apt_cache show libroaring-dev 2>/dev/null | awk '/^Version:/ && !seen++ { print $2 }')
    if [ -z "$version" ] || ! dpkg --compare-versions "$version" ge 4; then
        note "the suite $(newest_suite) has libroaring-dev ${version:-not at all}"
        return 1
    fi
    library=$(apt_cache depends libroaring-dev |
        sed -n 's/^ *Depends: *\(libroaring[0-9][0-9a-z]*\)$/\1/p')
    (cd "$work/apt/files" && quietly apt-get -q download libroaring-dev "$library")
}

get_croaring_for() {
    local package to=build/cross/$1/debian
    [ ! -d "$to" ] || return 0
    newest_apt "$2" download_croaring ||
        fail "could not fetch CRoaring for $1; name its sources in CROARING_DIR or croaring.path"
    mkdir -p "$to"
    for package in "$work"/apt/files/*.deb; do
        dpkg-deb --extract "$package" "$to"
    done
    own build
    note "fetched CRoaring for $1"
}
