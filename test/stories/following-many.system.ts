import pg from 'pg';
import { startGateway } from '../harness.ts';
import { describeWithPostgres, createDatabase, type TestDatabase } from '../postgres-server.ts';
import { followingMany, seed } from './following-many.suite.ts';

describeWithPostgres('over PostgreSQL', () => {
  followingMany('two gateways over one database', async () => {
    const server: TestDatabase = await createDatabase();
    const env = { DATABASE_URL: server.url };
    const gateway = await startGateway(env, { seed });
    const other = await startGateway(env);
    const client = new pg.Client(server.url);
    await client.connect();
    return {
      // What one changes, the other one's streams tell.
      gateway: { ...gateway, ask: (...question) => other.ask(...question) },
      takeAccess: async (id) => void (await client.query(`UPDATE calendars SET body = body || '{"acl": []}' WHERE id = $1`, [id])),
      stop: async () => {
        await client.end();
        await gateway.close();
        await other.close();
        await server.remove();
      },
    };
  });
});
