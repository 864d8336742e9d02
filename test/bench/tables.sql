-- The table every benchmark reads, a psql script; :rows is set by the caller.
--
-- Nothing is random: every column is a hash of the row's number, so the same rows come out on
-- every machine. At 10,000,000 rows:
--   u     uniform over 5,000,000 values, so about 4.3 million distinct
--   z     skewed over 1,000,000 values: the k-th is seen with a frequency of about 1/k
--   s     u as text, 'user-' in front
--   lat   lognormal around 20, as latencies are
--   g10k  a group of about 1,000 rows, 10,000 of them
--   g1m   a group of about 10 rows, 1,000,000 of them
-- At other sizes the numbers of values and groups shrink alike and the group sizes stay.

-- The upper 53 bits of a seeded hash, as a fraction in [0, 1).
create function pg_temp.fraction(i bigint, seed bigint) returns double precision
language sql immutable as
$$ select ((hashint8extended(i, seed) >> 11) & 9007199254740991) / 9007199254740992::float8 $$;

drop table if exists t;
create unlogged table t as
select u, z, 'user-' || u as s, lat, g10k, g1m
from (
    select floor(pg_temp.fraction(i, 1) * (:rows / 2))::bigint as u,
           floor(power(:rows / 10, pg_temp.fraction(i, 2)))::int - 1 as z,
           exp(3 + sqrt(-2 * ln(1 - pg_temp.fraction(i, 3)))
                   * cos(2 * pi() * pg_temp.fraction(i, 4))) as lat,
           floor(pg_temp.fraction(i, 5) * (:rows / 1000))::int as g10k,
           floor(pg_temp.fraction(i, 6) * (:rows / 10))::int as g1m
    from generate_series(1, :rows) as i
) as r;
vacuum (analyze, freeze) t;
