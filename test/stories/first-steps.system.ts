import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import { blocksOf, openShell } from './page.ts';

describeWithPostgres('somebody who starts with an empty database', () => {
  let database: TestDatabase;
  let shell: ReturnType<typeof openShell>;
  beforeAll(async () => {
    database = await createDatabase();
    shell = openShell({});
  });
  afterAll(async () => {
    await shell?.close();
    await database?.remove();
  });

  test('does all that the page says, as it says it', async () => {
    await shell.follow(blocksOf('docs/first-steps.md'), database.url);
  });
});
