import type { Replacements } from '../src/app.ts';
import { startEventGateway, type EventGateway } from './event/event.harness.ts';
import { useCloser, useForEach } from './use-resource.ts';
import { createMigratedDatabase, resetDatabase, usePostgres } from './postgres-server.ts';

/** Settings of a gateway, as environment variables. */
type Environment = Readonly<Record<string, string>>;

/** A kind of store, with functions that start gateways over it. */
export interface StoreUnderTest {
  readonly name: string;
  /** Called in a `describe`: creates environments of gateways, each with a new store. */
  useEnvironments(): () => Promise<Environment>;
  /** Called in a `describe`: starts gateways, each over its own store and closed after its test. */
  useGateways(): (replacements?: Replacements) => Promise<EventGateway>;
  /** Called in a `describe`: starts a gateway for each test, over its own store. */
  useGateway(replacements?: () => Replacements): EventGateway;
}

type StartGateway = (replacements?: Replacements) => Promise<EventGateway>;

const createGatewayHooks = (start: StartGateway): Pick<StoreUnderTest, 'useGateways' | 'useGateway'> => ({
  useGateways: () => closeAfterEach(start),
  useGateway: (replacements) => useForEach(() => start(replacements?.())),
});

const memory: StoreUnderTest = {
  name: 'memory',
  useEnvironments: () => async () => ({}),
  ...createGatewayHooks((replacements) => startEventGateway(replacements)),
};

const postgres: StoreUnderTest = {
  name: 'PostgreSQL',
  useEnvironments() {
    const { createMigratedUrl } = usePostgres();
    return async () => ({ DATABASE_URL: await createMigratedUrl() });
  },
  ...createGatewayHooks(async (replacements) => {
    const DATABASE_URL = await takeDatabase();
    const gateway = await startEventGateway(replacements, { DATABASE_URL });
    const close = async (): Promise<void> => {
      await gateway.close();
      freeDatabases.push(DATABASE_URL);
    };
    return { ...gateway, close };
  }),
};

/** Databases of this Jest worker that no gateway uses any more. Emptying one is faster than creating one. */
const freeDatabases: string[] = [];

async function takeDatabase(): Promise<string> {
  const url = freeDatabases.pop();
  if (url === undefined) return (await createMigratedDatabase()).url;
  await resetDatabase(url);
  return url;
}

/**
 * Rows of `describe.each` in files named `*.stores.test.ts`: memory in `npm test`, PostgreSQL in `npm run verify`,
 * which sets TEST_STORE. A describe without rows would pass silently, so an unknown name throws.
 */
export const stores: readonly StoreUnderTest[] = [
  selectStore(process.env.TEST_STORE ?? 'memory', { memory, postgres }),
];

function selectStore(name: string, storesByName: Readonly<Record<string, StoreUnderTest>>): StoreUnderTest {
  const store = storesByName[name];
  if (!store) throw new Error(`TEST_STORE is ${name}, and can be ${Object.keys(storesByName).join(' or ')}.`);
  return store;
}

function closeAfterEach(start: StartGateway): StartGateway {
  const closeLater = useCloser();
  return async (replacements) => closeLater(await start(replacements));
}
