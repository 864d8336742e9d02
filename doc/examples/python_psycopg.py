"""psycopg 3: rows in, numbers out, a sketch kept as bytes. Needs shop.sql; PGHOST, PGDATABASE and so on say where."""
import datetime
import uuid

import psycopg

today = datetime.datetime(2026, 3, 30, tzinfo=datetime.timezone.utc)
visitors = [uuid.UUID(int=i) for i in range(1000)]

with psycopg.connect() as db:
    # Rows go into the table, and the rollup follows in the same transaction.
    with db.cursor().copy("COPY events FROM STDIN") as copy:
        for i, visitor in enumerate(visitors):
            copy.write_row((today, visitor, "DE", "/", 10 + i / 10))

    # Users and percentiles since a time. Counts are int, percentiles float, a list of percentiles gives a list.
    for row in db.execute("""
            SELECT country, hll_union_cardinality_agg(users), tdigest_union_percentiles_agg(latency, %s)
            FROM hourly WHERE hour >= %s GROUP BY country ORDER BY country""",
            ([0.5, 0.99], today - datetime.timedelta(days=7))):
        print(row[0], row[1], "users, p50 and p99:", [round(ms, 1) for ms in row[2]])

    # How many of these 200 came today? The answer is an estimate, as every overlap of sketches.
    mine = visitors[900:] + [uuid.UUID(int=i) for i in range(10**6, 10**6 + 100)]
    print("of my 200:", db.execute("""
        SELECT hll_intersection_cardinality(hll_union_agg(users), hll_add_all(hll_empty(), %s))
        FROM hourly WHERE hour >= %s""", (mine, today)).fetchone()[0])

    # A sketch is bytes for a file or a cache, and comes back by a cast.
    kept = db.execute("SELECT hll_union_agg(users)::bytea FROM hourly WHERE hour >= %s", (today,)).fetchone()[0]
    print(len(kept), "bytes kept, both:", db.execute("""
        SELECT hll_cardinality(%s::hll | hll_union_agg(users)) FROM hourly WHERE hour < %s""", (kept, today)).fetchone()[0])

    db.rollback()                       # an example leaves nothing behind
