# shellcheck shell=bash
#
# CRoaring for the extension (src/croaring.mk says in which ways it comes in). Sourced by test/harness/deps and deb.
#
#   has_croaring               two sets are combined by the CRoaring that a build here has (combines.c)
#   croaring_lacks             what is missing, for people
#   get_croaring               gets it. Each way ends by combining two sets; one that does not is passed over:
#                                1. what is named or here: CROARING_DIR, croaring.path, croaring, CROARING=link, a
#                                   library in croaring-library, one of the system's
#                                2. the system's package, 4 or later, by root
#                                3. the sources of the newest suite (debian.sh), into croaring
#                                4. the library of that suite's binary package, into croaring-library. 3 and 4 need no
#                                   root, and are for this checkout and what it installs alone
#                                5. words
#   tell_croaring              these words
#   get_croaring_for PROCESSOR ARCHITECTURE
#                              unpacks the newest library into build/cross/PROCESSOR/debian

# The versions that all tests ran with. Others that combine two sets are taken, too, and named.
croaring_tried='4.6.1 5.1.0'

# make deps has been here, and found none.
croaring_not_found=build/croaring-missing

croaring_dir() {
    if [ "${CROARING-}" = link ]; then
        return
    elif [ -n "${CROARING_DIR:-}" ]; then
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
        echo "CRoaring's sources, in $dir (CROARING_DIR, croaring.path or croaring)"
    elif [ "${CROARING-}" = link ]; then
        echo 'CRoaring 4 or later, its library, with headers and pkg-config, for CROARING=link'
    else
        echo 'CRoaring 4 or later, its sources or its library'
    fi
}

# Prints which library, where one is opened. What a compiler and the program say is in the log.
has_croaring() {
    local dir library
    dir=$(croaring_dir)
    [ -z "$dir" ] || [ -d "$dir/include/roaring" ] || return 1
    # shellcheck disable=SC2016  # expanded by the inner shell
    library=$(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL test/harness/as-owner sh -c '
        mkdir -p build/combines && "$@" build/combines/combines >build/combines/log 2>&1 &&
            build/combines/combines 2>>build/combines/log' sh \
        "${MAKE:-make}" -s --no-print-directory -f test/harness/checked.mk \
        "-j$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)" 2>/dev/null) || return 1
    case "${CROARING-} $library" in
        'private ' | 'private '*/sketches-libroaring.so) ;;
        'private '*) return 1 ;;
    esac
    echo "$library"
}

tell_croaring() {
    echo "CRoaring 4 or later can come from your system's package (Debian's libroaring-dev, Fedora's croaring-devel)," >&2
    echo 'if it has that version, or be compiled in from its sources:' >&2
    echo '  git clone https://github.com/RoaringBitmap/CRoaring' >&2
    # shellcheck disable=SC2016  # to be typed as it is
    echo '  echo "$PWD/CRoaring" >croaring.path' >&2
}

# Everything but the algebra of sets works without it, so its lack is told, and is no failure.
get_croaring() {
    local way ways=
    rm -f $croaring_not_found
    ! has_croaring >/dev/null || return 0
    [ -z "$(croaring_dir)" ] || fail "not found, or does not combine two sets (build/combines/log): $(croaring_lacks)"
    # Or it would be the first to be opened.
    if [ -d croaring-library ] && [ "${CROARING-}" != link ] && command -v cc >/dev/null; then
        note 'the library in croaring-library does not combine two sets here: removing it'
        rm -rf croaring-library
    fi
    if have_apt; then
        case "${CROARING-}" in
            link) ways=system ;;
            private) ways='sources library' ;;
            *) ways='system sources library' ;;
        esac
    fi
    for way in $ways; do
        croaring_version=
        "croaring_of_$way" || continue
        if has_croaring >/dev/null; then
            case " $croaring_tried " in
                *" $croaring_version "*) note "CRoaring $croaring_version combines sets" ;;
                *) note "CRoaring $croaring_version combines sets; all tests ran with ${croaring_tried// / and }, not with this version" ;;
            esac
            return
        fi
        note "CRoaring $croaring_version does not combine two sets here (build/combines/log), looking for another"
        [ "$way" = system ] || rm -rf croaring croaring-library
    done
    note "going on without $(croaring_lacks):"
    note 'what combines sets of roaring and roaring64 raises an error, and its tests fail'
    tell_croaring
    mkdir -p build
    : >$croaring_not_found
    own build
}

# By the package's version, which may go on after the library's.
croaring_of_system() {
    croaring_version=$(apt_cache --quiet=2 policy libroaring-dev 2>/dev/null |
        sed -n 's/^ *Candidate: *\([0-9][0-9.]*\).*/\1/p')
    [ -n "$croaring_version" ] && dpkg --compare-versions "$croaring_version" ge 4 || return 1
    can_be_root && apt_install libroaring-dev
}

croaring_of_sources() {
    note "fetching the sources of CRoaring from the suite $(newest_suite), for this checkout only"
    # Debian's source packages are compressed by it.
    if ! command -v xz >/dev/null && can_be_root; then apt_install xz-utils || true; fi
    croaring_sources || { note 'that mirror has none' && return 1; }
}

croaring_sources() {
    newest_apt deb-src "$(dpkg --print-architecture)" unpack_croaring 2>/dev/null || return 1
    croaring_version=$(sed -n 's/.*ROARING_VERSION "\(.*\)"/\1/p' croaring/include/roaring/roaring_version.h)
    note "unpacked CRoaring $croaring_version"
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

croaring_of_library() {
    note "fetching the library of its package in $(newest_suite) instead, for this checkout only"
    newest_apt "$(dpkg --print-architecture)" unpack_library 2>/dev/null || { note 'that mirror has none' && return 1; }
    note "unpacked CRoaring $croaring_version"
}

# One file, which make install copies, and what its license asks for.
unpack_library() {
    local files=$work/apt/files to=croaring-library
    download_croaring library || return 1
    dpkg-deb --extract "$(echo "$files"/libroaring[0-9]*.deb)" "$files/unpacked" || return 1
    rm -rf $to
    mkdir $to
    cp "$(find "$files/unpacked/usr/lib" -type f -name 'libroaring.so.*')" $to/sketches-libroaring.so &&
        cp "$files"/unpacked/usr/share/doc/libroaring[0-9]*/copyright $to/ || return 1
    # Whatever the umask is: the server reads the one, people the other.
    chmod 755 $to && chmod 644 $to/*
    own $to
}

# download_croaring [library]: that alone, or with what compilers need.
download_croaring() {
    local version library
    version=$(apt_cache show libroaring-dev 2>/dev/null | awk '/^Version:/ && !seen++ { print $2 }')
    if [ -z "$version" ] || ! dpkg --compare-versions "$version" ge 4; then
        note "the suite $(newest_suite) has libroaring-dev ${version:-not at all}"
        return 1
    fi
    library=$(apt_cache depends libroaring-dev |
        sed -n 's/^ *Depends: *\(libroaring[0-9][0-9a-z]*\)$/\1/p')
    croaring_version=${version%%[!0-9.]*}
    [ "${1-}" = library ] || library="$library libroaring-dev"
    # shellcheck disable=SC2086  # two words
    (cd "$work/apt/files" && quietly apt-get -q download $library)
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
