import { describeWithPostgres } from '../postgres-server.ts';
import { usePostgres } from '../random/worlds.ts';
import type { Replacements } from '../../src/compose.ts';
import { startEvents, type EventGateway } from './event.harness.ts';

type Start = (replacements?: Replacements) => Promise<EventGateway>;

/** A suite that is run over memory and over PostgreSQL; each gateway that is started has a store of its own, and is closed behind its test. */
export function describeOnStores(name: string, suite: (start: Start) => void): void {
  const over = (envOf: () => Promise<Readonly<Record<string, string>>>): void => {
    const open: EventGateway[] = [];
    afterEach(async () => {
      for (const gateway of open.splice(0)) await gateway.close();
    });
    suite(async (replacements) => {
      const gateway = await startEvents(replacements, await envOf());
      open.push(gateway);
      return gateway;
    });
  };
  describe(`${name}, in memory`, () => over(async () => ({})));
  describeWithPostgres(`${name}, on PostgreSQL`, () => {
    const { fresh } = usePostgres();
    over(async () => ({ DATABASE_URL: await fresh() }));
  });
}
