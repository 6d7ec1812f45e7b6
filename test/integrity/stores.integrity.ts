import { createDatabase, describeWithPostgres, exceptOnCluster } from '../postgres-server.ts';
import { createFigureTable } from './figure-table.ts';
import { killCriteria } from './kills.ts';
import { loadCriteria } from './load.ts';
import { useForAll } from '../use-resource.ts';

const figures = createFigureTable();

describe('a gateway in memory', () => {
  for (const criterion of loadCriteria(() => ({}))) figures.registerTest('memory', criterion);
  afterAll(() => {
    for (const { title } of killCriteria) figures.addSkippedRow('memory', title, 'ends with its process');
  });
});

describeWithPostgres('a gateway on a database', () => {
  const server = useForAll(() => createDatabase());

  for (const criterion of loadCriteria(() => ({ DATABASE_URL: server.url })))
    figures.registerTest('PostgreSQL', criterion);
});

// On a Citus cluster, node-failures.citus.ts measures the kills.
exceptOnCluster('node-failures.citus.ts does this there').describe(
  'two gateways on a server of their own',
  () => {
    for (const criterion of killCriteria) figures.registerTest('PostgreSQL, two gateways', criterion);
  },
);
