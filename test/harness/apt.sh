# shellcheck shell=bash
#
# Root's rights, and apt-get in words for people. Sourced by test/harness/deps, which makes $work, its
# directory.
#
#   can_be_root          whether commands can be run as root; may ask for a password, once
#   apt_cache COMMAND... runs apt-cache, whose words are read here, in English
#   apt_update           brings the package lists up to date, once
#   apt_install PACKAGE...
#   quietly COMMAND...   what it prints is shown if it fails; while it runs a line every ten seconds
#   own FILE...          gives what was made under sudo to who called it, or make could not write there without it
#   newest_apt [deb-src] ARCHITECTURE COMMAND...
#                        runs COMMAND with an apt that knows nothing but the newest suite (debian.sh)

work=

note() {
    echo "deps: $*"
}

have_apt() {
    command -v apt-get >/dev/null && command -v dpkg >/dev/null
}

# Sets as_root, a prefix of commands. sudo asks at the terminal, wherever input and output go.
as_root=()
can_be_root() {
    [ "$(id -u)" -ne 0 ] || return 0
    [ ${#as_root[@]} -eq 0 ] || return 0
    command -v sudo >/dev/null || return 1
    if ! sudo -n true 2>/dev/null; then
        # Without a terminal nobody would answer.
        { : </dev/tty; } 2>/dev/null || return 1
        note 'packages are installed by root; sudo may ask for your password'
        sudo -v || return 1
    fi
    as_root=(sudo -n)
}

quietly() {
    local status=0 ticker trap
    : >"$work/log"
    # A child that is killed before it is Perl would run this shell's trap, which removes $work. A subshell has none,
    # and prints its parent's.
    trap=
    [ "$BASH_SUBSHELL" -ne 0 ] || trap=$(trap -p EXIT)
    trap - EXIT
    perl -e '
        use strict;
        use warnings;
        my ($log, $seconds) = @ARGV;
        $| = 1;
        while (sleep 10) {
            open my $in, "<", $log or exit;
            my @lines = map { /(\S.*)/ ? $1 : () } map { split /\r/ } <$in>;
            printf "deps: %3d s  %.70s\n", $seconds += 10, $lines[-1] // "";
        }' "$work/log" 0 &
    ticker=$!
    eval "$trap"
    "$@" >"$work/log" 2>&1 </dev/null || status=$?
    { kill $ticker && wait $ticker; } 2>/dev/null || true
    [ $status -eq 0 ] || tail -n 40 "$work/log" >&2
    return $status
}

own() {
    ! test/harness/as-owner || chown -R "$SUDO_UID:${SUDO_GID:-0}" "$@"
}

apt_get() {
    quietly ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o DPkg::Lock::Timeout=600 -o Dpkg::Options::=--force-confold "$@"
}

updated=
apt_update() {
    [ -z "$updated" ] || return 0
    updated=yes
    note 'updating the package lists'
    apt_get update || note 'some could not be updated, going on with those there are'
}

apt_install() {
    note "installing ${*##*/}"
    apt_get install --no-install-recommends "$@"
}

apt_cache() {
    LC_ALL=C apt-cache "$@"
}

apt_knows() {
    [[ $(apt_cache policy "$1" 2>/dev/null) == *"Candidate: "[0-9]* ]]
}

is_installed() {
    [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == *"ok installed" ]]
}

# The newest packages and sources come from the mirror, and are checked by the keyring, that the system's own
# sources name. These sources and the system's package lists stay as they are. Tries one mirror after the
# other.
newest_apt() {
    local type=deb architecture source
    [ "$1" != deb-src ] || { type=$1; shift; }
    architecture=$1
    shift
    debian_sources "$(newest_suite)" "$architecture" >"$work/sources"
    # One stanza per candidate, each ended by a record separator.
    while IFS= read -r -d $'\x1e' source; do
        newest_configuration "$architecture" "${source/#Types: deb/Types: $type}"
        if APT_CONFIG=$work/apt/conf quietly apt-get -q -o APT::Update::Error-Mode=any update &&
            APT_CONFIG=$work/apt/conf "$@"; then
            return
        fi
    done <"$work/sources"
    return 1
}

# newest_configuration ARCHITECTURE SOURCE
newest_configuration() {
    local apt=$work/apt
    rm -rf "$apt"
    mkdir -p "$apt/none" "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/files" \
        "$apt/sources.d"
    printf '%s\n' "$2" >"$apt/sources.d/newest.sources"
    # The system's own settings (a proxy, say) stay in force, its pins and default release do not.
    cat >"$apt/conf" <<CONF
Dir::Etc::SourceList "$apt/none/sources.list";
Dir::Etc::SourceParts "$apt/sources.d";
Dir::Etc::Preferences "$apt/none/preferences";
Dir::Etc::PreferencesParts "$apt/none";
Dir::State "$apt/state";
Dir::State::Lists "$apt/state/lists";
Dir::State::status "$apt/state/status";
Dir::Cache "$apt/cache";
Dir::Cache::Archives "$apt/cache/archives";
APT::Architecture "$1";
APT::Architectures "$1";
APT::Default-Release "";
APT::Update::Post-Invoke-Success "";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::CNF::DefaultEnabled "false";
CONF
    : >"$apt/state/status"
    # apt drops root's rights for downloading and still has to reach its directories.
    chmod 755 "$work" "$apt"
    chmod 777 "$apt/files"
}
