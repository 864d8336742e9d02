// The SQL that Cube's compiler makes of doc/examples/cube.js, a statement a line, with the parameters put in: those of
// pre-aggregations, then queries. Of JavaScript models only; its native package, for others, is not needed.
process.env.CUBEJS_TESSERACT_SQL_PLANNER = 'false';
const fs = require('fs');
const Module = require('module');
const load = Module._load;
Module._load = (name, ...rest) => name !== '@cubejs-backend/native' ? load(name, ...rest)
  : new Proxy({ NativeInstance: class { newJinjaEngine() { return {}; } } }, { get: (of, key) => of[key] ?? (() => ({})) });

const { prepareCompiler, PostgresQuery } = require('@cubejs-backend/schema-compiler');
const model = { fileName: 'cube.js', content: fs.readFileSync(process.argv[2], 'utf8') };
const compilers = prepareCompiler({ localPath: () => '.', dataSchemaFiles: async () => [model] }, { adapter: 'postgres' });
const print = ([sql, values]) =>
  console.log(values.reduce((s, value, i) => s.replaceAll(`$${i + 1}::`, `'${value}'::`).replaceAll(`$${i + 1})`, `'${value}')`), sql).replace(/\s+/g, ' '));

compilers.compiler.compile().then(() => {
  const of = (cube, time, granularity, filters = []) => ({
    measures: ['users', 'p99'].map(m => `${cube}.${m}`), dimensions: [], filters, timezone: 'UTC',
    timeDimensions: [{ dimension: `${cube}.${time}`, granularity, dateRange: ['2026-03-02', '2026-03-29'] }],
    order: [{ id: `${cube}.${time}` }],
  });
  print(new PostgresQuery(compilers, of('hourly', 'hour', 'week', [{ member: 'hourly.country', operator: 'equals', values: ['DE'] }])).buildSqlAndParams());
  print(new PostgresQuery(compilers, of('events', 'at', 'week')).buildSqlAndParams());
  const pre = new PostgresQuery(compilers, { ...of('events', 'at', 'week'), measures: ['events.users', 'events.count'], preAggregationsSchema: 'public' });
  for (const p of pre.preAggregations.preAggregationsDescription()) print(p.loadSql);
  print(pre.buildSqlAndParams());
});
