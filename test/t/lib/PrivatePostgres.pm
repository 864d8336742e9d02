# PrivatePostgres - the server that is tested once more, in a directory of the test's own, where the test
# may change extension files.

package PrivatePostgres;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(private_postgres);

# private_postgres(DIR) returns { install_path => ..., extension => ..., library => ... }: what
# PostgreSQL::Test::Cluster->new takes, the directory of control files and scripts, that of libraries.
sub private_postgres
{
    my ($dir) = @_;
    my $from = $ENV{PRIVATE_POSTGRES};
    system('cp', '-R', '-P', $from, "$dir/postgresql") == 0 or die "cannot copy $from\n";
    my ($bin, $share, $library) =
      map { chomp; "$dir/postgresql" . substr $_, length $from }
      map { scalar `'$ENV{PG_CONFIG}' $_` } qw(--bindir --sharedir --pkglibdir);
    return {
        install_path => $bin =~ s{/bin$}{}r,
        extension => "$share/extension",
        library => $library
    };
}

1;
