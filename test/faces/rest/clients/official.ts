import { createRequire } from 'node:module';
import type * as library from 'google-auth-library';
import { auth, calendar, type calendar_v3 } from '@googleapis/calendar';
import { Storage, type StorageOptions } from '@google-cloud/storage';
import { startGateway, tokenFor, type TestGateway } from '../../../harness.ts';

/** A gateway that official clients reach over the network. */
export interface RestGateway extends TestGateway {
  readonly url: string;
}

/** Its data are those of the demo; `env` may name a database. */
export async function startRest(env: Readonly<Record<string, string>> = {}): Promise<RestGateway> {
  const gateway = await startGateway({ REST: 'on', ...env });
  const url = await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  return { ...gateway, url };
}

/** Null: a token that nobody signed. */
const credentialsOf = async (as: string | null, scopes?: readonly string[]) => {
  const client = new auth.OAuth2();
  client.setCredentials({ access_token: as === null ? 'nobody signed this' : await tokenFor(as, scopes) });
  return client;
};

/** @googleapis/calendar, pointed at a gateway by `rootUrl`. */
export async function calendarClient(
  url: string,
  as: string | null = 'alice@example.com',
  scopes?: readonly string[],
): Promise<calendar_v3.Calendar> {
  return calendar({ version: 'v3', rootUrl: url, auth: await credentialsOf(as, scopes) });
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

/** What an official client tells of an error: its status, and the reason and the place of each issue. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly reasons: readonly string[];
}

interface ClientError {
  readonly code?: unknown;
  readonly status?: unknown;
  readonly message: string;
  readonly errors?: readonly { readonly reason: string; readonly location?: string }[];
  readonly response?: { readonly data?: { readonly error?: { readonly errors?: ClientError['errors'] } } };
}

/** The refusal that a call ends with. */
export async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const error = await call.then(
    () => {
      throw new Error('the call was not refused');
    },
    (reason: unknown) => reason as ClientError,
  );
  const errors = error.response?.data?.error?.errors ?? error.errors ?? [];
  return {
    status: Number(error.status ?? error.code),
    message: error.message,
    reasons: errors.map(({ reason, location }) =>
      location === undefined ? reason : `${reason} ${location}`,
    ),
  };
}
