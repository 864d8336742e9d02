# shellcheck shell=bash
#
# Functions of the scripts that fetch from Debian's archive, or Ubuntu's: test/harness/deps and what makes roots
# of other Debian releases (matrix, deb). Sourced by bash.

os_release=/etc/os-release

# newest_suite prints the suite that has the newest packages: Debian's testing, or Ubuntu's next release.
newest_suite() {
    # shellcheck disable=SC1090  # the system's
    case " $(. "$os_release" && echo "${ID-} ${ID_LIKE-}") " in
        *' ubuntu '*) echo devel ;;
        *) echo testing ;;
    esac
}

# debian_sources SUITE [ARCHITECTURE] prints, for each of the system's package sources that carries
# the release this system is, the source of that mirror's SUITE as a stanza for apt, ended by a
# record separator. Reads both forms apt has: the one-line form (sources.list, *.list) and the stanzas of
# *.sources.
debian_sources() {
    local codename list parts
    eval "$(apt-config shell list Dir::Etc::SourceList/f parts Dir::Etc::SourceParts/d)"
    # shellcheck disable=SC1090  # the system's
    codename=$(. "$os_release" && echo "${UBUNTU_CODENAME:-${VERSION_CODENAME:-}}")
    # shellcheck disable=SC2016  # Perl's variables
    perl -e '
        use strict;
        use warnings;

        my ($list, $parts, $codename, $arch, $wanted) = @ARGV;
        my (%seen, @found);
        # What Debian has in main may be in Ubuntu in universe.
        my $wanted_components = $wanted eq "devel" ? "main universe" : "main";

        for my $path ($list, sort(glob("$parts/*.list"))) {
            open my $file, "<", $path or next;
            while (<$file>) {
                next unless m{^\s*deb\s+(?:\[([^]]*)\]\s+)?(\S+)\s+(\S+)\s+(.*)};
                my ($options, $uri, $suite, $components) = ($1 // "", $2, $3, $4);
                my ($signed) = $options =~ /signed-by=(\S+)/;
                my ($trusted) = $options =~ /trusted=(\S+)/;
                consider($uri, [$suite], [split " ", $components], $signed, $trusted);
            }
        }
        for my $path (sort(glob("$parts/*.sources"))) {
            open my $file, "<", $path or next;
            local $/ = "";
            while (my $stanza = <$file>) {
                $stanza =~ s/^#.*\n//mg;
                my %field;
                # A field goes on over the lines that begin with a blank: a key given in full.
                $field{lc $1} = $2 while $stanza =~ /^([\w-]+):[ \t]*(.*(?:\n[ \t].*)*)/mg;
                next if lc($field{enabled} // "yes") =~ /^(no|false|0|off)/;
                next unless grep { $_ eq "deb" } split " ", $field{types} // "";
                my @suites = split " ", $field{suites} // "";
                my @components = split " ", $field{components} // "";
                consider($_, \@suites, \@components, $field{"signed-by"}, $field{trusted})
                  for split " ", $field{uris} // "";
            }
        }
        print "$_\x1e" for @found;

        sub consider {
            my ($uri, $suites, $components, $signed, $trusted) = @_;
            return if $uri =~ /^cdrom:/;
            return unless grep { $_ eq "main" } @$components;
            return unless grep { $_ eq $codename || $_ =~ /^(oldstable|stable|testing|unstable|sid)$/ } @$suites;
            my $source = "Types: deb\nURIs: $uri\nSuites: $wanted\nComponents: $wanted_components\n"
              . "Architectures: $arch\n";
            $source .= "Signed-By: $signed\n" if defined $signed;
            $source .= "Trusted: $trusted\n" if defined $trusted;
            push @found, $source unless $seen{$source}++;
        }
    ' "$list" "$parts" "$codename" "${2-$(dpkg --print-architecture)}" "$1"
}
