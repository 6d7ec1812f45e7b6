import type { Replacements } from '../src/app.ts';
import { startEvents, type EventGateway } from './event/event.harness.ts';
import { useCloser, useForEach } from './started.ts';
import { createMigratedDatabase, resetDatabase, usePostgres } from './postgres-server.ts';

type Environment = Readonly<Record<string, string>>;

export interface StoreUnderTest {
  readonly name: string;
  /** Called in a `describe`: gives environments, each of gateways over a new store. */
  useEnvironments(): () => Promise<Environment>;
  /** Called in a `describe`: starts gateways of which each has a store of its own and is closed behind its test. */
  useGateways(): (replacements?: Replacements) => Promise<EventGateway>;
  /** Called in a `describe`: a gateway for each test, over a store of its own. */
  useGateway(replacements?: () => Replacements): EventGateway;
}

type Start = (replacements?: Replacements) => Promise<EventGateway>;

const startingBy = (start: Start): Pick<StoreUnderTest, 'useGateways' | 'useGateway'> => ({
  useGateways: () => closedAfterEach(start),
  useGateway: (replacements) => useForEach(() => start(replacements?.())),
});

const memory: StoreUnderTest = {
  name: 'memory',
  useEnvironments: () => async () => ({}),
  ...startingBy((replacements) => startEvents(replacements)),
};

const postgres: StoreUnderTest = {
  name: 'PostgreSQL',
  useEnvironments() {
    const { fresh } = usePostgres();
    return async () => ({ DATABASE_URL: await fresh() });
  },
  ...startingBy(async (replacements) => {
    const DATABASE_URL = await takeDatabase();
    const gateway = await startEvents(replacements, { DATABASE_URL });
    const close = async (): Promise<void> => {
      await gateway.close();
      unused.push(DATABASE_URL);
    };
    return { ...gateway, close };
  }),
};

/** Databases of this worker that no gateway is on any more; they go with their server. To empty one is faster than to make one. */
const unused: string[] = [];

async function takeDatabase(): Promise<string> {
  const url = unused.pop();
  if (url === undefined) return (await createMigratedDatabase()).url;
  await resetDatabase(url);
  return url;
}

/**
 * For `describe.each` in files named `*.stores.test.ts`: memory in `npm test`, PostgreSQL in `npm run verify`,
 * which sets TEST_STORE. A describe without a row would pass unseen, so another name fails.
 */
export const stores: readonly StoreUnderTest[] = [
  storeNamed(process.env.TEST_STORE ?? 'memory', { memory, postgres }),
];

function storeNamed(name: string, all: Readonly<Record<string, StoreUnderTest>>): StoreUnderTest {
  const store = all[name];
  if (!store) throw new Error(`TEST_STORE is ${name}, and can be ${Object.keys(all).join(' or ')}.`);
  return store;
}

function closedAfterEach(start: Start): Start {
  const closeLater = useCloser();
  return async (replacements) => closeLater(await start(replacements));
}
