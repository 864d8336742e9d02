"""SQLAlchemy 1.4 and 2: a column type for sketches, which are bytes in Python. Needs shop.sql; PGHOST and so on say where."""
import datetime

from sqlalchemy import BigInteger, Column, Date, DateTime, Float, LargeBinary, MetaData, Table, Text, cast, create_engine, func, select
from sqlalchemy.dialects.postgresql import ARRAY, base
from sqlalchemy.types import UserDefinedType


class Sketch(UserDefinedType):
    """Written as a bytea that is cast, read as users::bytea."""
    cache_ok = True

    def __init__(self, name="hll"):
        self.name = name

    def get_col_spec(self, **kw):
        return self.name

    def bind_expression(self, value):
        return cast(cast(value, LargeBinary), self)

    def column_expression(self, column):
        return cast(column, LargeBinary)

    def result_processor(self, dialect, coltype):
        return lambda value: None if value is None else bytes(value)


# So that reflection finds it, without "Did not recognize type 'hll'".
base.ischema_names["hll"] = Sketch

engine = create_engine("postgresql+psycopg2://", future=True)
metadata = MetaData()
hourly = Table("hourly", metadata, Column("hour", DateTime(timezone=True)), Column("country", Text), Column("requests", BigInteger),
               Column("users", Sketch("hll")), Column("latency", Sketch("tdigest")))
saved = Table("saved", metadata, Column("day", Date, primary_key=True), Column("users", Sketch("hll")), prefixes=["TEMPORARY"])

with engine.connect() as db:
    percentiles = func.tdigest_union_percentiles_agg(hourly.c.latency, cast([0.5, 0.99], ARRAY(Float(53))), type_=ARRAY(Float))
    users = func.hll_union_cardinality_agg(hourly.c.users).label("users")
    for row in db.execute(select(hourly.c.country, users, percentiles.label("ms")).group_by(hourly.c.country).order_by(hourly.c.country)):
        print(row.country, row.users, "users, p50 and p99:", [round(ms) for ms in row.ms])

    # type_ says what a function returns.
    saved.create(db)
    german = db.scalar(select(func.hll_union_agg(hourly.c.users, type_=Sketch())).where(hourly.c.country == "DE"))
    db.execute(saved.insert(), [{"day": datetime.date(2026, 3, 2), "users": german}, {"day": datetime.date(2026, 3, 3), "users": None}])
    for row in db.execute(select(saved, func.hll_cardinality(saved.c.users).label("n")).order_by(saved.c.day)):
        print(row.day, type(row.users).__name__, row.n)
