import { describeWithPostgres } from '../postgres-server.ts';
import { usePostgres } from '../random/worlds.ts';
import { openMailing } from './mail-walk.harness.ts';
import { mailWalk } from './mail-walk.suite.ts';

describeWithPostgres('over PostgreSQL', () => {
  const { fresh } = usePostgres();
  mailWalk(async (mailbox) => openMailing({ DATABASE_URL: await fresh() }, mailbox));
});
