import { describeWithPostgres } from '../postgres-server.ts';
import { usePostgres } from '../random/worlds.ts';
import type { Replacements } from '../../src/compose.ts';
import { startEvents, type EventGateway } from './event.harness.ts';

/** Tests of gateways; each that is started has a store of its own, and is closed behind its test. */
export type Suite = (start: (replacements?: Replacements) => Promise<EventGateway>) => void;

export function describeInMemory(name: string, suite: Suite): void {
  describe(`${name}, in memory`, () => runOver(suite, async () => ({})));
}

export function describeOnPostgres(name: string, suite: Suite): void {
  describeWithPostgres(`${name}, on PostgreSQL`, () => {
    const { fresh } = usePostgres();
    runOver(suite, async () => ({ DATABASE_URL: await fresh() }));
  });
}

function runOver(suite: Suite, envOf: () => Promise<Readonly<Record<string, string>>>): void {
  const open: EventGateway[] = [];
  afterEach(async () => {
    for (const gateway of open.splice(0)) await gateway.close();
  });
  suite(async (replacements) => {
    const gateway = await startEvents(replacements, await envOf());
    open.push(gateway);
    return gateway;
  });
}
