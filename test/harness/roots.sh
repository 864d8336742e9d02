# shellcheck shell=bash
#
# Roots: directories with another Debian release in them, to try things where nothing of this
# system is at hand. Sourced by test/harness/matrix and test/harness/deb.
#
#   root_make SUITE [LABEL] [ARCHITECTURE]
#                            makes $ROOTS/SUITE[LABEL] unless it is there; its directory in $root. Without
#                            ARCHITECTURE (of Debian: arm64) it is for this system's
#   root_copy                from now on what happens in $root happens in a copy of it, thrown away
#                            at the end; its files are in $root_files. Each call begins a new copy
#   root_run SCRIPT          runs a shell script (its text) in $root, as the root user
#   root_put_sources DIR     copies this working tree (what git knows or would add) to DIR in $root
#
# The mirror and the keyring are those of this system's own package sources. A root is entered in
# namespaces of its own: what was mounted or started in it is gone when the script ends. The programs of
# another processor run in qemu, which the kernel starts.

: "${ROOTS:=/var/tmp/sketches-roots}"

root_fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# What making and entering roots takes, and the command that gets it.
root_check() {
    [ "$(id -u)" -eq 0 ] ||
        root_fail 'roots are made and entered by the root user: run it with sudo'
    git rev-parse --git-dir >/dev/null 2>&1 ||
        root_fail 'copies what git knows of these sources: needs git, and a clone of the repository'
    if ! command -v apt-get >/dev/null || ! command -v debootstrap >/dev/null; then
        root_fail 'needs debootstrap; on Debian and Ubuntu: apt-get install debootstrap'
    fi
}

# The releases' suites by version of PostgreSQL.
root_suite() {
    case "$1" in
        15) echo bookworm ;;
        17) echo trixie ;;
        18) echo testing ;;
        19) echo experimental ;;
        *) return 1 ;;
    esac
}

# Whether this system can run the programs of an architecture. A kernel of x86-64 runs those of i386 itself.
root_runs() {
    case "$(dpkg --print-architecture) $1" in
        "$1 $1" | 'amd64 i386') return ;;
        *' arm64') grep -qs '^enabled' /proc/sys/fs/binfmt_misc/qemu-aarch64 ;;
        *) return 1 ;;
    esac
}

root_make() {
    local suite=$1 base=$1 architecture=${3:-$(dpkg --print-architecture)} source uri keyring log
    root_runs "$architecture" ||
        root_fail "programs of $architecture do not run here: apt-get install qemu-user-static binfmt-support," \
            "and where systemd does not run: mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&" \
            "update-binfmts --enable qemu-aarch64"
    root=$ROOTS/$suite${2-}
    root_files=$root
    root_layer=
    [ ! -e "$root/etc/sketches-root" ] || return 0
    mkdir -p "$ROOTS"
    log=$root.log
    rm -rf "$root"
    # Experimental is an addition to unstable.
    [ "$suite" != experimental ] || base=sid

    source=
    IFS= read -r -d $'\x1e' source < <(debian_sources "$base" "$architecture") || true
    [ -n "$source" ] || root_fail "found no Debian mirror among the system's package sources"
    uri=$(sed -n 's/^URIs: //p' <<<"$source")
    keyring=$(sed -n 's/^Signed-By: \(\/.*\)/\1/p' <<<"$source")
    : "${keyring:=/usr/share/keyrings/debian-archive-keyring.gpg}"
    [ -r "$keyring" ] || root_fail "no keyring $keyring (package debian-archive-keyring)"
    debootstrap --variant=minbase --arch="$architecture" --keyring="$keyring" "$base" "$root" "$uri" \
        >"$log" 2>&1 ||
        root_fail "debootstrap $base failed, see $log"

    mkdir -p "$root/etc/apt/keyrings"
    cp "$keyring" "$root/etc/apt/keyrings/debian.gpg"
    rm -f "$root/etc/apt/sources.list"
    {
        sed '/^Signed-By:/d; /^[[:blank:]]/d; /^$/d' <<<"$source"
        echo 'Signed-By: /etc/apt/keyrings/debian.gpg'
    } >"$root/etc/apt/sources.list.d/debian.sources"
    if [ "$suite" = experimental ]; then
        sed -i 's/^Suites: .*/& experimental/' "$root/etc/apt/sources.list.d/debian.sources"
        cat >"$root/etc/apt/preferences.d/postgresql" <<'PIN'
Package: postgresql* libpq* libecpg* libpgtypes*
Pin: release a=experimental
Pin-Priority: 900
PIN
    fi
    {
        # What this system needs to reach its mirror, and does with it: a proxy, say.
        apt-config dump | grep -E '^Acquire::(http|https|Check-[A-Za-z-]*)(::|  *")' || true
        echo 'Acquire::Languages "none";'
        echo 'APT::Install-Recommends "false";'
        # One version a root: none but the one that the tests start.
        echo 'DPkg::Options { "--force-confold"; };'
    } >"$root/etc/apt/apt.conf.d/99sketches"
    # A root that a crash damages is made again; without this its disk is the slowest part.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
    mkdir -p "$root/etc/postgresql-common"
    echo 'create_main_cluster = false' >"$root/etc/postgresql-common/createcluster.conf"
    # Services are not started in a root.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    root_run 'apt-get -qq update && apt-get -qq -y upgrade' >>"$log" 2>&1 ||
        root_fail "apt-get update in $root failed, see $log"
    echo "$suite" >"$root/etc/sketches-root"
}

# The copy is an overlay: this directory holds what differs from $root.
root_layers=()
root_copy() {
    root_layer=$(mktemp -d "$ROOTS/copy.XXXXXX")
    root_layers+=("$root_layer")
    # shellcheck disable=SC2154  # set by the trap
    trap 'status=$?; rm -rf "${root_layers[@]}"; exit $status' EXIT
    mkdir "$root_layer/changed" "$root_layer/work" "$root_layer/all"
    chmod 755 "$root_layer" "$root_layer/changed"
    root_files=$root_layer/changed
}

root_run() {
    local name
    mkdir -p "$root_files/etc"
    for name in resolv.conf hosts; do
        [ ! -e /etc/$name ] || cp -L /etc/$name "$root_files/etc/$name"
    done
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --mount --pid --fork --kill-child sh -c '
        set -e
        mount --make-rprivate /
        if [ -n "$3" ]; then
            mount -t overlay overlay -o "lowerdir=$1,upperdir=$3/changed,workdir=$3/work" "$3/all"
            set -- "$3/all" "$2"
        fi
        mount --rbind /dev "$1/dev"
        mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
        mount -t proc proc "$1/proc"
        exec chroot "$1" /usr/bin/env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
            ${https_proxy:+https_proxy="$https_proxy"} bash -c "$2"
    ' root_run "$root" "$1" "$root_layer" </dev/null
}

root_put_sources() {
    rm -rf "${root_files:?}$1"
    mkdir -p "$root_files$1"
    # Also what is not committed yet; not what was deleted and not committed.
    git ls-files -z -co --exclude-standard |
        perl -0 -ne 'chomp; print "$_\0" if -e' |
        tar -c --null -T - -f - | tar -x -f - --no-same-owner -C "$root_files$1"
}
