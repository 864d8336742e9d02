"""pandas: the weeks of each country, and a plot of their days. Needs shop.sql; PGHOST, PGDATABASE and so on say where."""
import matplotlib

matplotlib.use("Agg")                   # no window
import matplotlib.pyplot as plt
import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine("postgresql+psycopg2://")

# SQL merges, pandas does not: the users of a week are not the sum of those of its days, so each period is a query.
QUERY = text("""
    SELECT date_trunc(:period, hour, 'UTC') AS period, country, sum(requests)::bigint AS requests,
           hll_union_cardinality_agg(users) AS users, tdigest_union_percentiles_agg(latency, CAST(:q AS float8[])) AS ms
    FROM hourly GROUP BY period, country ORDER BY period, country""")


def report(period, percentiles=(0.5, 0.99)):
    with engine.connect() as db:
        frame = pd.read_sql(QUERY, db, params={"period": period, "q": list(percentiles)}, index_col="period")
    names = [f"p{100 * q:g}" for q in percentiles]
    frame[names] = pd.DataFrame(frame.pop("ms").tolist(), index=frame.index)        # an array becomes columns
    return frame


print(report("week").round(1).to_string())

days = report("day").pivot(columns="country")
figure, axes = plt.subplots(2, sharex=True, figsize=(8, 6))
days["users"].plot(ax=axes[0], ylabel="users", ylim=0)
days["p99"].plot(ax=axes[1], ylabel="p99, ms", ylim=0, legend=False)
axes[0].legend(loc="lower left", ncol=3)
figure.tight_layout()
figure.savefig("users.png")
