"""Copies the sketches of a Redis into PostgreSQL: HyperLogLogs, and the Bloom filters, Count-Min sketches and t-digests of
RedisBloom. REDIS_URL and PGHOST, PGDATABASE and so on say where; run it again to bring the tables up to date."""
import os

import psycopg
import redis

# What TYPE says of a key. A HyperLogLog is a string that begins with HYLL.
KINDS = {b"string": "hll", b"MBbloom--": "bloom", b"CMSk-TYPE": "cms", b"TDIS-TYPE": "tdigest"}

r = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://localhost"))
with psycopg.connect() as db:
    for kind in KINDS.values():
        db.execute(f"CREATE TABLE IF NOT EXISTS from_{kind} (key bytea PRIMARY KEY, sketch {kind} NOT NULL)")
    skipped = 0
    for key in r.scan_iter(count=1000):
        kind = KINDS.get(r.type(key))
        if kind is None or kind == "hll" and r.getrange(key, 0, 3) != b"HYLL":
            skipped += 1
            continue
        # A key that was deleted in the meantime has no payload: NULL, and no row.
        db.execute(f"""INSERT INTO from_{kind} SELECT %s, {kind}_from_redis(dump) FROM (SELECT %s::bytea AS dump) AS d WHERE dump IS NOT NULL
                       ON CONFLICT (key) DO UPDATE SET sketch = excluded.sketch""", (key, r.dump(key)))
    for kind in KINDS.values():
        for key, what in db.execute(f"SELECT convert_from(key, 'UTF8'), {kind}_describe(sketch) FROM from_{kind} ORDER BY key"):
            print(f"{key}: {what}")
    print(skipped, "other keys skipped")
