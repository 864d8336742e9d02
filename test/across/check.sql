-- Everything that make.sql made, in a few lines that are the same before and after.
\set ON_ERROR_STOP on
\pset format unaligned
SET timezone = UTC;
SET bytea_output = hex;
SET extra_float_digits = 1;
SELECT n, md5(k::text) AS text FROM kept k ORDER BY n;
SELECT n, md5(concat_ws(' ', h::bytea, th::bytea, t::bytea, dd::bytea, r::bytea, r64::bytea, bl::bytea,
                        cu::bytea, cm::bytea, tk::bytea, bf::bytea, rl::bytea, place::bytea)) AS bytes
  FROM kept ORDER BY n;
SELECT n, hll_cardinality(h), items, theta_cardinality(th) AS theta, tdigest_quantile(t, 0.5) AS median, ddsketch_percentile(dd, 0.5), roaring_cardinality(r), roaring64_cardinality(r64),
       bl @> n AS in_bloom, cu @> n AS in_cuckoo, cms_total(cm), topk_total(tk)
  FROM kept ORDER BY n;
SELECT * FROM united;
SELECT md5(string_agg(b::text, ' ' ORDER BY parity)) AS stored FROM by_parity b;
REFRESH MATERIALIZED VIEW CONCURRENTLY by_parity;
SELECT md5(string_agg(b::text, ' ' ORDER BY parity)) AS refreshed FROM by_parity b;

-- Each index finds each row.
SET enable_seqscan = off;
SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.h = k.h)) AS h,
       count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.t = k.t)) AS t,
       count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.th = k.th)) AS th,
       count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.dd = k.dd)) AS dd,
       count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.r = k.r)) AS r,
       count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.r64 = k.r64)) AS r64,
       count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.bl = k.bl)) AS bl,
       count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.cu = k.cu)) AS cu,
       count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.cm = k.cm)) AS cm,
       count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.tk = k.tk)) AS tk,
       count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.bf = k.bf)) AS bf,
       count(*) FILTER (WHERE EXISTS (SELECT FROM kept o WHERE o.place = k.place)) AS place,
       (SELECT count(*) FROM kept WHERE r @> 81::bigint) AS in_r,
       (SELECT count(*) FROM kept WHERE r64 @> 729::bigint) AS in_r64
  FROM kept k;
RESET enable_seqscan;
INSERT INTO kept (n) VALUES (-1);
SELECT hll_cardinality(h) AS by_default, items FROM kept WHERE n = -1;
DELETE FROM kept WHERE n = -1;

CREATE EXTENSION IF NOT EXISTS amcheck;
SELECT count(bt_index_check(i.indexrelid, true)::text) AS btrees_checked
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
 WHERE a.amname = 'btree' AND i.indrelid IN ('kept'::regclass, 'by_parity'::regclass);
