import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import { blocksOf, openShell } from './page.ts';

describeWithPostgres('somebody who starts with an empty database', () => {
  let database: TestDatabase;
  let shell: ReturnType<typeof openShell>;
  beforeAll(async () => {
    database = await createDatabase();
    shell = openShell({});
  }, 120_000);
  afterAll(async () => {
    await shell?.close();
    await database?.remove();
  }, 120_000);

  test('does all that the page says, as it says it', async () => {
    await shell.follow(blocksOf('docs/first-steps.md'), database.url);
  }, 120_000);
});
