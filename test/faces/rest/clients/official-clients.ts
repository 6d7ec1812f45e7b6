import { createRequire } from 'node:module';
import type * as library from 'google-auth-library';
import { auth, calendar, type calendar_v3 } from '@googleapis/calendar';
import { Storage, type StorageOptions } from '@google-cloud/storage';
import { tokenFor } from '../../../harness.ts';
import { startRest } from '../rest.harness.ts';
import { useForAll } from '../../../use-resource.ts';

/** Starts a gateway with the demo's data for a `describe`; official clients reach it over the network. */
export const useServer = () =>
  useForAll(async () => {
    const gateway = await startRest();
    const url = await gateway.app.listen({ port: 0, host: '127.0.0.1' });
    return { ...gateway, url: () => url };
  });

/** Creates a @googleapis/calendar client with a gateway as `rootUrl`. With `as: null`, its token is invalid. */
export async function createCalendarClient(
  url: string,
  as: string | null = 'alice@example.com',
  scopes?: readonly string[],
): Promise<calendar_v3.Calendar> {
  const client = new auth.OAuth2();
  client.setCredentials({ access_token: as === null ? 'nobody signed this' : await tokenFor(as, scopes) });
  return calendar({ version: 'v3', rootUrl: url, auth: client });
}

/** Auth library in the version that @google-cloud/storage depends on. */
const { OAuth2Client } = createRequire(createRequire(import.meta.url).resolve('@google-cloud/storage'))(
  'google-auth-library',
) as typeof library;

/** Creates a @google-cloud/storage client with a gateway as `apiEndpoint`. */
export async function createStorageClient(url: string, as = 'alice@example.com'): Promise<Storage> {
  const authClient = new OAuth2Client();
  authClient.setCredentials({ access_token: await tokenFor(as) });
  return new Storage({
    apiEndpoint: url,
    useAuthWithCustomEndpoint: true,
    projectId: 'demo-project',
    authClient: authClient as unknown as StorageOptions['authClient'],
  });
}

/** Entries of a REST error. */
type Issues = readonly { readonly reason: string; readonly location?: string }[];
/** Errors of both clients: they keep the REST error in different properties. */
interface ClientError {
  readonly code?: unknown;
  readonly status?: unknown;
  readonly errors?: Issues;
  readonly response?: { readonly data?: { readonly error?: { readonly errors?: Issues } } };
}

/** Formats a client's error as the REST harness does: status and sorted reasons, `400 required start`. */
export async function describeRefusal(request: Promise<unknown>): Promise<string> {
  const error = await request.then(
    () => {
      throw new Error('the call was not refused');
    },
    (reason: unknown) => reason as ClientError,
  );
  const issues = error.response?.data?.error?.errors ?? error.errors ?? [];
  const reasons = issues.map(({ reason, location }) => [reason, location].join(' ').trim());
  return `${Number(error.status ?? error.code)} ${reasons.sort().join(', ')}`;
}

/** Resolves with the body of a response of @googleapis/calendar. */
export const readData = async <T>(pendingResponse: Promise<{ readonly data: T }>): Promise<T> =>
  (await pendingResponse).data;
