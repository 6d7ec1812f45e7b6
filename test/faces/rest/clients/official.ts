import { createRequire } from 'node:module';
import type * as library from 'google-auth-library';
import { auth, calendar, type calendar_v3 } from '@googleapis/calendar';
import { Storage, type StorageOptions } from '@google-cloud/storage';
import { tokenFor } from '../../../harness.ts';
import { startRest } from '../rest.harness.ts';
import { useForAll } from '../../../started.ts';

/** Called in a `describe`: a gateway with the data of the demo that official clients reach over the network. */
export const useServer = () =>
  useForAll(async () => {
    const gateway = await startRest();
    const url = await gateway.app.listen({ port: 0, host: '127.0.0.1' });
    return { ...gateway, url: () => url };
  });

/** @googleapis/calendar, pointed at a gateway by `rootUrl`. With null, its token is not signed. */
export async function calendarClient(
  url: string,
  as: string | null = 'alice@example.com',
  scopes?: readonly string[],
): Promise<calendar_v3.Calendar> {
  const client = new auth.OAuth2();
  client.setCredentials({ access_token: as === null ? 'nobody signed this' : await tokenFor(as, scopes) });
  return calendar({ version: 'v3', rootUrl: url, auth: client });
}

/** The sign-in of @google-cloud/storage, in the version that it brings itself. */
const { OAuth2Client } = createRequire(createRequire(import.meta.url).resolve('@google-cloud/storage'))(
  'google-auth-library',
) as typeof library;

/** @google-cloud/storage, pointed at a gateway by `apiEndpoint`. */
export async function storageClient(url: string, as = 'alice@example.com'): Promise<Storage> {
  const authClient = new OAuth2Client();
  authClient.setCredentials({ access_token: await tokenFor(as) });
  return new Storage({
    apiEndpoint: url,
    useAuthWithCustomEndpoint: true,
    projectId: 'demo-project',
    authClient: authClient as unknown as StorageOptions['authClient'],
  });
}

type Issues = readonly { readonly reason: string; readonly location?: string }[];
interface ClientError {
  readonly code?: unknown;
  readonly status?: unknown;
  readonly errors?: Issues;
  readonly response?: { readonly data?: { readonly error?: { readonly errors?: Issues } } };
}

/** The error of a client as the REST harness has it: its status and its sorted reasons, `400 required start`. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => {
      throw new Error('the call was not refused');
    },
    (reason: unknown) => reason as ClientError,
  );
  const issues = error.response?.data?.error?.errors ?? error.errors ?? [];
  const reasons = issues.map(({ reason, location }) => [reason, location].join(' ').trim());
  return `${Number(error.status ?? error.code)} ${reasons.sort().join(', ')}`;
}

/** Response of a call of @googleapis/calendar. */
export const dataOf = async <T>(call: Promise<{ readonly data: T }>): Promise<T> => (await call).data;
