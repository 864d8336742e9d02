# PrivatePostgres - the server of PG_CONFIG once more, in a directory of the test's own, where the
# test may add extension files. Programs are copied, since PostgreSQL finds its files relative to
# them; everything else is links.

package PrivatePostgres;

use strict;
use warnings;

use Exporter qw(import);
use File::Copy qw(copy);
use File::Path qw(make_path);

our @EXPORT = qw(private_postgres);

# private_postgres(DIR) returns { install_path => ..., extension => ..., library => ... }: what
# PostgreSQL::Test::Cluster->new takes, the directory of control files and scripts, that of libraries.
sub private_postgres
{
    my ($dir) = @_;
    my %of = map { $_ => pg_config("--$_") } qw(bindir sharedir pkglibdir);
    my @bin = split m{/}, $of{bindir};
    my $common = 0;
    $common++ while !grep { (split m{/})[$common] ne $bin[$common] } @of{qw(sharedir pkglibdir)};
    my $prefix = join '/', @bin[ 0 .. $common - 1 ];
    my %to = map { $_ => $dir . substr($of{$_}, length $prefix) } keys %of;

    make_path(@to{qw(bindir pkglibdir)}, "$to{sharedir}/extension");
    for my $program (glob "$of{bindir}/*")
    {
        (my $name = $program) =~ s{.*/}{};
        copy($program, "$to{bindir}/$name") or die "$program: $!\n";
        chmod 0755, "$to{bindir}/$name";
    }
    link_all($of{pkglibdir}, $to{pkglibdir});
    link_all($of{sharedir}, $to{sharedir});
    link_all("$of{sharedir}/extension", "$to{sharedir}/extension");
    (my $install_path = $to{bindir}) =~ s{/bin$}{};
    return {
        install_path => $install_path,
        extension => "$to{sharedir}/extension",
        library => $to{pkglibdir}
    };
}

sub pg_config
{
    my ($option) = @_;
    my $program = $ENV{PG_CONFIG} // 'pg_config';
    chomp(my $answer = `'$program' $option`);
    return $answer;
}

sub link_all
{
    my ($from, $to) = @_;
    opendir my $entries, $from or die "$from: $!\n";
    for my $name (grep { !/^\.\.?$/ } readdir $entries)
    {
        next if -e "$to/$name";
        symlink "$from/$name", "$to/$name" or die "$to/$name: $!\n";
    }
    return;
}

1;
