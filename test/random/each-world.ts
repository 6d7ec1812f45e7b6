import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { openMemoryWorld, openPostgresWorld, type World } from './worlds.ts';
import { useForEach } from '../use-resource.ts';

interface Options {
  /** Number of gateways on PostgreSQL. */
  readonly gatewayCount?: number;
  /** Clock time of each step. */
  readonly time?: (step: number) => number;
}

/** Declares a suite in memory and on PostgreSQL; `getWorld` returns the new world of each test. */
export function describeInEachWorld(
  name: string,
  suite: (getWorld: () => World) => void,
  { gatewayCount = 1, time }: Options = {},
): void {
  describe(`${name}, in memory,`, () => runInWorld(suite, () => openMemoryWorld(time)));
  describeWithPostgres(`${name}, on PostgreSQL,`, () => {
    const { createMigratedUrl } = usePostgres();
    runInWorld(suite, async () => openPostgresWorld(await createMigratedUrl(), gatewayCount, time));
  });
}

function runInWorld(suite: (getWorld: () => World) => void, openWorld: () => Promise<World>): void {
  const world = useForEach(() => openWorld());
  suite(() => world);
}
