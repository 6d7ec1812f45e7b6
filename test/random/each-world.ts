import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { memoryWorld, postgresWorld, type World } from './worlds.ts';
import { useForEach } from '../started.ts';

interface Options {
  /** Gateways over PostgreSQL. */
  readonly gateways?: number;
  /** When each step takes place, where it matters. */
  readonly time?: (step: number) => number;
}

/** Tests that run in memory and on PostgreSQL; `here` gives each the world that it has to itself. */
export function describeInEachWorld(
  name: string,
  suite: (here: () => World) => void,
  { gateways = 1, time }: Options = {},
): void {
  describe(`${name}, in memory,`, () => inWorlds(suite, () => memoryWorld(time)));
  describeWithPostgres(`${name}, on PostgreSQL,`, () => {
    const { fresh } = usePostgres();
    inWorlds(suite, async () => postgresWorld(await fresh(), gateways, time));
  });
}

function inWorlds(suite: (here: () => World) => void, open: () => Promise<World>): void {
  const world = useForEach(() => open());
  suite(() => world);
}
