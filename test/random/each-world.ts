import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { openMemoryWorld, openPostgresWorld, type World } from './worlds.ts';
import { useForEach } from '../started.ts';

interface Options {
  /** Number of gateways on PostgreSQL. */
  readonly gateways?: number;
  /** Clock time of each step. */
  readonly time?: (step: number) => number;
}

/** Runs tests in memory and on PostgreSQL; `getWorld` returns the new world of each test. */
export function describeInEachWorld(
  name: string,
  suite: (getWorld: () => World) => void,
  { gateways = 1, time }: Options = {},
): void {
  describe(`${name}, in memory,`, () => runInWorld(suite, () => openMemoryWorld(time)));
  describeWithPostgres(`${name}, on PostgreSQL,`, () => {
    const { createMigratedUrl } = usePostgres();
    runInWorld(suite, async () => openPostgresWorld(await createMigratedUrl(), gateways, time));
  });
}

function runInWorld(suite: (getWorld: () => World) => void, open: () => Promise<World>): void {
  const world = useForEach(() => open());
  suite(() => world);
}
