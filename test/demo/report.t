#!/usr/bin/env perl
#
# The report of make demo. Its tables are what its statements return, as they stand on the page, and its charts have the
# numbers of its tables; it holds for a log of a day, of four days, of one line and of hostile lines. In a headless Chromium
# (skipped where there is none) it asks for nothing, says nothing to the console, fits on a phone, and can be read in light
# and dark.

use strict;
use warnings;
use utf8;

use File::Temp qw(tempdir);
use FindBin qw($Bin);
use Test::More;

use lib "$Bin/lib";
use Browser;

binmode $_, ':utf8' for *STDOUT, *STDERR;
binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output);

if (!$ENV{SKETCHES_DOC_SERVER})
{
    $ENV{SKETCHES_DOC_SERVER} = 1;
    exec "$Bin/../harness/with-server", '--', $^X, $0, @ARGV or die "with-server: $!";
}

my $scratch = tempdir(CLEANUP => 1);
chmod 0755, $scratch;
my $browser = Browser->new;
diag 'no chromium: how the report looks is not tested' if !$browser;

my $line = '127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /only.html HTTP/1.0" 200 2326';
my @hostile = (
    map({ $line =~ s{/only.html}{$_}r } '/<script>alert(1)</script>', "/'; DROP TABLE log; --", '/&quot;"><img/src=x/onerror=alert(1)>',
        '/' . 'a' x 3000, '/{part}', "/\t\\"),
    $line =~ s/"GET.*"/"-"/r, $line =~ s/2326/-/r, $line =~ s/2326/99999999999/r);
my %log = (
    nasa => "$Bin/../data/nasa_http_1995-08-01.tsv.gz",
    semicomplete => "$Bin/../data/semicomplete_access_2015-05.log.gz",
    'one & only' => of_text('one', $line),
    hostile => of_text('hostile', @hostile),
    years => of_text('years', map { my $y = $_; map { $line =~ s{10/Oct/2000}{$_/$y}r } '01/Jan', '02/Jan', '30/Dec' } 2011 .. 2014));

for my $name (sort keys %log)
{
    my $database = "report_" . ($name =~ s/\W//gr);
    local $ENV{PGDATABASE} = 'postgres';
    psql('-c', "CREATE DATABASE $database");
    $ENV{PGDATABASE} = $database;
    system("'$Bin/parse-log' '$log{$name}' | psql -Xq -v ON_ERROR_STOP=1 -f '$Bin/10-load.sql'") == 0 or die "$name: not loaded\n";
    psql('-f', "$Bin/20-log.sql");
    my $before = psql('-c', 'SELECT md5(string_agg(l::text, chr(10) ORDER BY l::text)) FROM log AS l');
    my $file = "$scratch/report.html";
    is(system($^X, "$Bin/report", '--name', $name, '--out', $file), 0, "$name: drawn") or next;
    is(psql('-c', "SELECT count(*) FROM rollup_list()"), "0\n", "$name: its rollups are gone");
    is(psql('-c', 'SELECT md5(string_agg(l::text, chr(10) ORDER BY l::text)) FROM log AS l'), $before, "$name: the log is as it was");
    check_numbers($name, $file);
    check_looks($name, $file, $name eq 'nasa' ? ([ light => 1200 ], [ dark => 1200 ], [ light => 390 ], [ dark => 390 ])
        : ([ light => 1200 ], [ dark => 390 ])) if $browser;
}
done_testing();
undef $browser;

sub of_text
{
    my ($name, @lines) = @_;
    open my $file, '>:raw', "$scratch/$name.log" or die "$scratch/$name.log: $!\n";
    print $file map { "$_\n" } @lines;
    close $file or die "$scratch/$name.log: $!\n";
    return "$scratch/$name.log";
}

sub psql
{
    my (@arguments) = @_;
    open my $psql, '-|:utf8', 'psql', qw(-XAqt -v ON_ERROR_STOP=1 -F), "\t", @arguments or die "psql: $!\n";
    my $said = do { local $/ = undef; <$psql> } // '';
    close $psql or die "psql: @arguments\n";
    return $said;
}

sub plain
{
    my %of = (amp => '&', lt => '<', gt => '>', quot => '"');
    return $_[0] =~ s/<[^>]*>//gr =~ s/&(\w+);/$of{$1}/gr;
}

# Each statement returns the table below it. Times, and what is rolled back, are not the same again.
sub check_numbers
{
    my ($name, $file) = @_;
    open my $in, '<:utf8', $file or die "$file: $!\n";
    my $page = do { local $/ = undef; <$in> };
    cmp_ok(-s $file, '<=', 150_000, "$name: at most 150 kB");
    my %sql = map { plain($_) } $page =~ m{<pre id="sql-(\w+)">(.*?);?</pre>}gs;
    # PostgreSQL's own words for a rollup that has no index yet are no fault.
    psql('-c', 'SET client_min_messages = error', '-c', $sql{rollups});
    my %table;
    while ($page =~ m{<table data-of="(\w+)">(.*?)</table>}gs)
    {
        my ($of, $rows) = ($1, $2);
        my (undef, @lines) = split /<tr>/, $rows =~ s{.*<tbody>}{}sr;
        for my $line (@lines)
        {
            my (undef, @cells) = split /<td[^>]*>/, $line =~ s/\n\z//r, -1;
            push @{ $table{$of} }, [ map { plain($_) } @cells ];
        }
        $table{$of} //= [];
    }
    cmp_ok(scalar keys %table, '>', 15, "$name: tables");
    for my $of (grep { !/^(?:insert|delete|bytes|answers_of_log)$/ } sort keys %table)
    {
        my @rows = map { [ split /\t/, $_, -1 ] } split /\n/, psql('-c', $sql{$of});
        is_deeply([ map { [ map { s/(?<=\d),(?=\d{3})//gr } @$_ ] } @{ $table{$of} } ], \@rows, "$name: $of is what its SQL returns");
    }
    # Both drawings of a chart say the numbers of its tables.
    for my $class (qw(wide narrow))
    {
        my $texts = sub {
            my ($section) = $page =~ m{<section id="$_[0]">(.*?)</section>}s;
            my ($svg) = $section =~ m{<svg class="$class".*?</svg>}s;
            return map { plain($_) } $& =~ m{<text[^>]*>.*?</text>}gs;
        };
        my %said = map { ($_ => 1) } $texts->('visitors');
        my @days = grep { $_->[0] =~ /^\d/ } @{ $table{days} };
        ok((grep { $said{ $_->[1] } && $said{ $_->[2] } } @days) > @days / 3, "$name, $class: visitors of the days that have room");
        %said = map { ($_ => 1) } $texts->('pages');
        is((grep { !$said{ $_->[1] eq $_->[3] ? $_->[2] : "$_->[1]–$_->[3]" } } @{ $table{pages} }), 0, "$name, $class: pages with their bounds");
        cmp_ok(scalar(grep { /^(?:\d+|<1)(?:±\d+)?$/ } $texts->('again')), '>=', @{ $table{cohorts} } - 1, "$name, $class: a number for each cohort");
    }
    is((() = $page =~ m{<svg [^>]*role="img"[^>]*>\s*<title[^>]*>[^<]+</title><desc}g), (() = $page =~ /<svg /g), "$name: charts have titles and descriptions");
    my @id = $page =~ / id="([^"]+)"/g;
    is(scalar(keys %{ { map { ($_ => 1) } @id } }), scalar @id, "$name: no id twice");
    my @tags = grep { m{^<(?:script|img|link|iframe|object|a|form)\b|\s(?:src|href|xlink:href|on\w+)\s*=}i } $page =~ /<[^>]+>/g;
    is("@tags", '', "$name: nothing that asks for anything");
    return;
}

# ---- in the browser ------------------------------------------------------------------------------

sub check_looks
{
    my ($name, $file, @looks) = @_;
    for my $look (@looks)
    {
        my ($scheme, $width) = @$look;
        $browser->open("file://$file", scheme => $scheme, width => $width);
        my $worst = $browser->value(contrast());
        cmp_ok($worst->{ratio}, '>=', 4.5, "$name, $scheme, $width: contrast of '$worst->{text}' ($worst->{class}) on $worst->{under}");
        is($browser->value('document.documentElement.scrollWidth'), $width, "$name, $scheme, $width: nothing sticks out");
        my $cut = $browser->value(<<'JS');
[...document.querySelectorAll('svg')].filter(s => s.getClientRects().length).flatMap(s => { const b = s.getBoundingClientRect();
  return [...s.querySelectorAll('text')].filter(t => { const r = t.getBoundingClientRect(); return r.left < b.left - 1 || r.right > b.right + 1 })
    .map(t => t.textContent) }).join(', ')
JS
        is($cut, '', "$name, $scheme, $width: no text leaves its chart");
        my $overlap = $browser->value(<<'JS');
[...document.querySelectorAll('svg')].filter(s => s.getClientRects().length).flatMap(s => { const t = [...s.querySelectorAll('text')].map(e =>
  [e.textContent, e.getBoundingClientRect()]); return t.flatMap(([a, r], i) => t.slice(i + 1).filter(([b, q]) => r.left < q.right - 1 && q.left < r.right - 1
  && r.top + 3 < q.bottom - 3 && q.top + 3 < r.bottom - 3).map(([b]) => a + ' / ' + b)) }).join(', ')
JS
        is($overlap, '', "$name, $scheme, $width: no text lies on another");
        my @asked = map { $_->{request}{url} } $browser->events('Network.requestWillBeSent');
        is_deeply(\@asked, ["file://$file"], "$name, $scheme, $width: nothing else is asked for");
        is_deeply([ map { $_->{entry}{text} } $browser->events('Log.entryAdded') ], [], "$name, $scheme, $width: no message");
        is_deeply([ $browser->events('Runtime.consoleAPICalled'), $browser->events('Runtime.exceptionThrown') ], [], "$name, $scheme, $width: no console");
    }
    return;
}

# The colour of each text against what is painted behind its middle: WCAG's contrast, the worst one.
sub contrast
{
    return <<'JS';
(() => {
  const rgb = c => c.match(/[\d.]+/g).map(Number);
  const light = c => { const f = rgb(c).slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                       return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2] };
  const shown = e => e.getClientRects().length && e.checkVisibility();
  const worst = { ratio: 99 };
  for (const e of document.querySelectorAll('text, p, h1, h2, b, summary, span, td, th, pre, footer')) {
    if (!shown(e) || !e.textContent.trim()) continue;
    e.scrollIntoView({ block: 'center' });
    const r = e.getBoundingClientRect(), svg = e instanceof SVGElement;
    let under = getComputedStyle(document.body).backgroundColor;
    for (const x of document.elementsFromPoint(r.x + r.width / 2, r.y + r.height / 2)) {
      if (x == e || x instanceof SVGTextElement || e.contains(x)) continue;
      const s = getComputedStyle(x), c = x instanceof SVGGeometryElement ? s.fill : s.backgroundColor;
      if (c == 'none' || !c.startsWith('rgb') || rgb(c)[3] === 0 || x.classList.contains('casing')) continue;
      under = c; break;
    }
    const a = light(svg ? getComputedStyle(e).fill : getComputedStyle(e).color), b = light(under);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst.ratio) Object.assign(worst, { ratio, text: e.textContent.trim().slice(0, 40), under, class: e.getAttribute('class') || e.tagName });
  }
  return worst;
})()
JS
}
