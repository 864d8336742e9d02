// Cube: a model over the rollup of shop.sql. A measure of type `number` may call an aggregate, so the union of sketches is
// right at every granularity and under every filter, with no pre-aggregation to refresh.
cube('hourly', {
  sql_table: 'hourly',
  measures: {
    requests: { sql: 'requests', type: 'sum' },
    users: { sql: 'hll_union_cardinality_agg(users)', type: 'number' },
    p99: { sql: 'tdigest_union_percentile_agg(latency, 0.99)', type: 'number' },
  },
  dimensions: {
    country: { sql: 'country', type: 'string' },
    hour: { sql: 'hour', type: 'time' },
  },
});

// count_distinct_approx over the rows: Cube calls the functions of postgresql-hll, so this needs sketches_postgresql_hll.
cube('events', {
  sql_table: 'events',
  measures: {
    count: { type: 'count' },
    users: { sql: 'user_id', type: 'count_distinct_approx' },
    p99: { sql: 'approx_percentile(ms, 0.99)', type: 'number' },
  },
  dimensions: {
    country: { sql: 'country', type: 'string' },
    at: { sql: 'at', type: 'time' },
  },
  pre_aggregations: {
    by_day: {
      measures: [CUBE.count, CUBE.users], dimensions: [CUBE.country], time_dimension: CUBE.at, granularity: 'day',
      external: false,                  // Cube Store reads the bytes of postgresql-hll, and loses those of a sketch without an error
    },
  },
});
