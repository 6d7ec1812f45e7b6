import { startGateway } from '../harness.ts';
import { describeWithPostgres, createDatabase, type TestDatabase } from '../postgres-server.ts';
import { followingMany, seed } from './following-many.suite.ts';

describeWithPostgres('over PostgreSQL', () => {
  followingMany('two gateways over one database', async () => {
    const server: TestDatabase = await createDatabase();
    const env = { DATABASE_URL: server.url };
    const gateway = await startGateway(env, { seed });
    const other = await startGateway(env);
    return {
      // What one changes, the other one's streams tell.
      gateway: { ...gateway, ask: (...question) => other.ask(...question) },
      stop: async () => {
        await gateway.close();
        await other.close();
        await server.remove();
      },
    };
  });
});
