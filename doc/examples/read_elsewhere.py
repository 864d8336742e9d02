"""Redis counts with the sketches that PostgreSQL made, and PostgreSQL goes on with those of Redis. Needs shop.sql and a
Redis, with its Python library; REDIS_URL and PGHOST, PGDATABASE and so on say where."""
import os

import psycopg
import redis

r = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://localhost"))
with psycopg.connect() as db:
    # Redis hashes texts in its own way: hll_redis_agg counts as it does. (hll_agg has no counterpart there.)
    for country, sketch in db.execute("SELECT country, hll_to_redis(hll_redis_agg(user_id::text)) FROM events GROUP BY country ORDER BY country"):
        r.set(f"users:{country}", sketch)
        print(country, r.pfcount(f"users:{country}"))
    r.pfadd("users:DE", *(f"new-{i}" for i in range(500)))
    merged = db.execute("SELECT hll_cardinality(hll_union_agg(hll_from_redis(x))) FROM unnest(%s::bytea[]) AS x",
                        ([r.get(f"users:{country}") for country in ("BR", "DE", "US")],)).fetchone()[0]
    print("all, with 500 new ones:", r.pfcount("users:BR", "users:DE", "users:US"), "in Redis,", merged, "in PostgreSQL")
