import { startGateway, type TestGateway } from '../harness.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import { concurrencyCriteria } from './concurrency.ts';
import { figureTable } from './figures.ts';

const figures = figureTable();

describe('one gateway in memory', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  for (const criterion of concurrencyCriteria(() => [gateway])) figures.check('memory', criterion);
});

describeWithPostgres('two gateways on one database', () => {
  let server: TestDatabase;
  let gateways: readonly TestGateway[] = [];
  beforeAll(async () => {
    server = await createDatabase();
    gateways = await Promise.all([0, 1].map(() => startGateway({ DATABASE_URL: server.url })));
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.close();
    await server?.remove();
  });

  for (const criterion of concurrencyCriteria(() => gateways))
    figures.check('PostgreSQL, two gateways', criterion);
});
