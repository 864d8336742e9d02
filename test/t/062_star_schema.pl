# The Star Schema Benchmark (O'Neil, O'Neil, Chen: Star Schema Benchmark, revision 3, 2009): its 13 queries, each answered
# from one of four rollups over lineorder and its dimensions with exactly what the tables say, also after dimensions
# changed. STAR_ROWS says how many lines there are.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $rows = $ENV{STAR_ROWS} // (($ENV{SAMPLE} // 1) > 1 ? 6_000 : 60_000);
my $node = new_server('star_schema', conf => "work_mem = 64MB\n");

# Its domains, with fewer values where its queries select few, so that each of them finds rows.
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE dates (d_datekey int PRIMARY KEY, d_yearmonth text NOT NULL, d_year int NOT NULL, d_yearmonthnum int NOT NULL, d_weeknuminyear int NOT NULL);
CREATE TABLE customer (c_custkey int PRIMARY KEY, c_city text NOT NULL, c_nation text NOT NULL, c_region text NOT NULL);
CREATE TABLE supplier (s_suppkey int PRIMARY KEY, s_city text NOT NULL, s_nation text NOT NULL, s_region text NOT NULL);
CREATE TABLE part (p_partkey int PRIMARY KEY, p_mfgr text NOT NULL, p_category text NOT NULL, p_brand1 text NOT NULL);
CREATE TABLE lineorder (lo_orderkey int, lo_linenumber int, lo_custkey int NOT NULL REFERENCES customer, lo_partkey int NOT NULL REFERENCES part,
    lo_suppkey int NOT NULL REFERENCES supplier, lo_orderdate int NOT NULL REFERENCES dates, lo_quantity int NOT NULL, lo_extendedprice int NOT NULL,
    lo_discount int NOT NULL, lo_revenue int NOT NULL, lo_supplycost int NOT NULL, PRIMARY KEY (lo_orderkey, lo_linenumber));
INSERT INTO dates SELECT to_char(d, 'YYYYMMDD')::int, to_char(d, 'MonYYYY'), to_char(d, 'YYYY')::int, to_char(d, 'YYYYMM')::int, to_char(d, 'WW')::int
FROM generate_series(timestamp '1992-01-01', timestamp '1998-12-31', interval '1 day') AS d;
CREATE TABLE place AS SELECT row_number() OVER () AS id, rpad(left(nation, 9), 9) || digit AS city, nation, region
FROM (VALUES ('UNITED STATES', 'AMERICA'), ('BRAZIL', 'AMERICA'), ('CHINA', 'ASIA'), ('JAPAN', 'ASIA'), ('UNITED KINGDOM', 'EUROPE')) AS n (nation, region),
     unnest('{1,5}'::text[]) AS digit;
INSERT INTO customer SELECT i, city, nation, region FROM generate_series(1, 300) AS i JOIN place ON place.id = 1 + i % 10;
INSERT INTO supplier SELECT i, city, nation, region FROM generate_series(1, 50) AS i JOIN place ON place.id = 1 + i / 3 % 10;
INSERT INTO part SELECT i, 'MFGR#' || 1 + i % 2, 'MFGR#' || 1 + i % 2 || (ARRAY[2, 4])[1 + i / 2 % 2], 'MFGR#' || 1 + i % 2 || (ARRAY[2, 4])[1 + i / 2 % 2] || 21 + i / 4 % 20
FROM generate_series(1, 400) AS i;
INSERT INTO lineorder SELECT i / 4, i % 4, 1 + i * 7 % 300, 1 + i * 31 % 400, 1 + (i * 13 + i / 400) % 50, (SELECT max(d_datekey) FROM dates WHERE d_datekey <= 19920101 + (i % 7) * 10000 + (1 + i / 7 % 12) * 100 - 100 + i / 84 % 28),
    1 + i % 50, i * 37 % 10000, i / 50 % 11, i * 41 % 9000, i * 43 % 6000
FROM generate_series(1, $rows) AS i;
CREATE INDEX ON lineorder (lo_custkey);
CREATE INDEX ON lineorder (lo_partkey);
CREATE INDEX ON lineorder (lo_suppkey);
CREATE INDEX ON lineorder (lo_orderdate);
ANALYZE;
SQL

my $DATE = 'JOIN dates ON lo_orderdate = d_datekey';
my $SUPPLIER = 'JOIN supplier ON lo_suppkey = s_suppkey';
my $CUSTOMER = 'JOIN customer ON lo_custkey = c_custkey';
my $PART = 'JOIN part ON lo_partkey = p_partkey';
# What each flight of queries groups and selects by; the sum that it wants.
my @FLIGHTS = (
    [ 'discounted', "lineorder $DATE", 'd_year, d_yearmonthnum, d_weeknuminyear, lo_discount, lo_quantity', 'sum(lo_extendedprice * lo_discount)' ],
    [ 'by_brand', "lineorder $DATE $PART $SUPPLIER", 'd_year, p_category, p_brand1, s_region', 'sum(lo_revenue)' ],
    [ 'by_place', "lineorder $CUSTOMER $SUPPLIER $DATE", 'c_city, c_nation, c_region, s_city, s_nation, s_region, d_year, d_yearmonth', 'sum(lo_revenue)' ],
    [ 'profit', "lineorder $DATE $CUSTOMER $SUPPLIER $PART", 'd_year, c_nation, c_region, s_city, s_nation, s_region, p_mfgr, p_category, p_brand1', 'sum(lo_revenue - lo_supplycost)' ],
);
# By flight: what is selected, and how it is grouped.
my %QUERIES = (
    'Q1.1' => [ 0, '', 'd_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25' ],
    'Q1.2' => [ 0, '', 'd_yearmonthnum = 199401 AND lo_discount BETWEEN 4 AND 6 AND lo_quantity BETWEEN 26 AND 35' ],
    'Q1.3' => [ 0, '', 'd_weeknuminyear = 6 AND d_year = 1994 AND lo_discount BETWEEN 5 AND 7 AND lo_quantity BETWEEN 26 AND 35' ],
    'Q2.1' => [ 1, 'd_year, p_brand1', q{p_category = 'MFGR#12' AND s_region = 'AMERICA'} ],
    'Q2.2' => [ 1, 'd_year, p_brand1', q{p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA'} ],
    'Q2.3' => [ 1, 'd_year, p_brand1', q{p_brand1 = 'MFGR#2221' AND s_region = 'EUROPE'} ],
    'Q3.1' => [ 2, 'c_nation, s_nation, d_year', q{c_region = 'ASIA' AND s_region = 'ASIA' AND d_year BETWEEN 1992 AND 1997} ],
    'Q3.2' => [ 2, 'c_city, s_city, d_year', q{c_nation = 'UNITED STATES' AND s_nation = 'UNITED STATES' AND d_year BETWEEN 1992 AND 1997} ],
    'Q3.3' => [ 2, 'c_city, s_city, d_year', q{c_city IN ('UNITED KI1', 'UNITED KI5') AND s_city IN ('UNITED KI1', 'UNITED KI5') AND d_year BETWEEN 1992 AND 1997} ],
    'Q3.4' => [ 2, 'c_city, s_city, d_year', q{c_city IN ('UNITED KI1', 'UNITED KI5') AND s_city IN ('UNITED KI1', 'UNITED KI5') AND d_yearmonth = 'Dec1997'} ],
    'Q4.1' => [ 3, 'd_year, c_nation', q{c_region = 'AMERICA' AND s_region = 'AMERICA' AND p_mfgr IN ('MFGR#1', 'MFGR#2')} ],
    'Q4.2' => [ 3, 'd_year, s_nation, p_category', q{c_region = 'AMERICA' AND s_region = 'AMERICA' AND d_year IN (1997, 1998) AND p_mfgr IN ('MFGR#1', 'MFGR#2')} ],
    'Q4.3' => [ 3, 'd_year, s_city, p_brand1', q{c_region = 'AMERICA' AND s_nation = 'UNITED STATES' AND d_year IN (1997, 1998) AND p_category = 'MFGR#14'} ],
);

for my $flight (@FLIGHTS)
{
    my ($name, $from, $groups, $sum) = @$flight;
    $node->safe_psql('postgres', "SELECT rollup_create('$name', 'SELECT $groups, $sum AS total FROM $from GROUP BY $groups'); SELECT rollup_refresh('$name')");
}

# What a query finds in a relation that has, or is joined to, all of its columns.
sub answer
{
    my ($query, $from, $sum) = @_;
    my (undef, $groups, $where) = @$query;
    my $selected = $groups ? "$groups, $sum AS total" : "$sum AS total";
    return $node->safe_psql('postgres', "SELECT $selected FROM $from WHERE $where" . ($groups ? " GROUP BY $groups ORDER BY $groups" : ''));
}

sub all_equal
{
    my ($when) = @_;
    for my $name (sort keys %QUERIES)
    {
        my $query = $QUERIES{$name};
        my ($rollup, $from, undef, $sum) = @{ $FLIGHTS[ $query->[0] ] };
        my $expected = answer($query, $from, $sum);
        isnt($expected, '', "$name, $when: there is something");
        is(answer($query, $rollup, 'sum(total)'), $expected, "$name, $when: from $rollup");
    }
    return;
}

all_equal('refreshed');
# The 13 queries read only what is stored: no table of the benchmark.
is($node->safe_psql('postgres', "SELECT count(*) FROM discounted_log WHERE mark < 4") . $node->safe_psql('postgres', 'SELECT count(*) FROM profit_joined'), '00', 'nothing waits');

$node->safe_psql('postgres', <<'SQL');
UPDATE customer SET c_city = 'BRAZIL   1', c_nation = 'BRAZIL', c_region = 'AMERICA' WHERE c_custkey % 29 = 0;
UPDATE part SET p_brand1 = 'MFGR#2221', p_category = 'MFGR#22', p_mfgr = 'MFGR#2' WHERE p_partkey % 17 = 0;
UPDATE supplier SET s_region = 'EUROPE', s_nation = 'UNITED KINGDOM', s_city = 'UNITED KI1' WHERE s_suppkey % 11 = 0;
UPDATE dates SET d_weeknuminyear = 6 WHERE d_datekey BETWEEN 19940101 AND 19940120;
INSERT INTO dates VALUES (19990101, 'Jan1999', 1993, 199401, 6);
INSERT INTO lineorder SELECT 10000000 + i, 1, 1 + i, 1 + i, 1 + i % 50, CASE WHEN i % 2 = 0 THEN 19990101 ELSE 19971224 END, 20 + i % 10, i * 100, i % 11, i * 90, i * 50 FROM generate_series(1, 200) AS i;
DELETE FROM lineorder WHERE lo_orderkey % 101 = 0;
SQL
all_equal('with what waits');
$node->safe_psql('postgres', 'SELECT rollup_refresh(rollup) FROM rollup_list()');
all_equal('refreshed again');
is_query($node, 'SELECT rollup, problem FROM rollup_list() WHERE problem IS NOT NULL', '', 'no problem');

done_testing();
