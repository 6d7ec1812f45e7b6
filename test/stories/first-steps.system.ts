import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import { readCodeBlocks, openShell } from './documented-commands.ts';

describeWithPostgres('docs/first-steps.md', () => {
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

  test('works as written, with an empty database', async () => {
    await shell.followBlocks(readCodeBlocks('docs/first-steps.md'), database.url);
  });
});
