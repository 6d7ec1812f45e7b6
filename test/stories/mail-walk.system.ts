import { describeWithPostgres } from '../postgres-server.ts';
import { usePostgres } from '../random/worlds.ts';
import { mailLimits } from './mail-limits.suite.ts';
import { mailReceivers, seed } from './mail-receivers.suite.ts';
import { openMailing } from './mail-walk.harness.ts';
import { mailWalk } from './mail-walk.suite.ts';

describeWithPostgres('over PostgreSQL', () => {
  const { fresh } = usePostgres();
  mailWalk(async (mailbox) => openMailing({ DATABASE_URL: await fresh() }, mailbox));
  mailReceivers(async () => openMailing({ DATABASE_URL: await fresh() }, undefined, { seed }));
  mailLimits(async (replacements) => openMailing({ DATABASE_URL: await fresh() }, undefined, replacements));
});
