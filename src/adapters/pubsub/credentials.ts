import type { GoogleAuth } from 'google-auth-library';
import { StartError } from '../../core/errors.ts';

/** The headers that say who asks. Those that were refused are not given again. */
export type Authorize = (refused?: Headers) => Promise<Headers>;

/** An emulator asks nobody who they are. */
export const nobody: Authorize = async () => new Headers();

const scopes = ['https://www.googleapis.com/auth/pubsub'];

type Load = () => Promise<{ readonly GoogleAuth: typeof GoogleAuth }>;

/** The application default credentials of Google Cloud. Their package is loaded here alone. */
export async function googleCredentials(
  load: Load = () => import('google-auth-library'),
): Promise<Authorize> {
  const { GoogleAuth } = await load().catch((cause: unknown) => {
    throw new StartError(
      'PUBSUB: the package google-auth-library is not there or cannot be loaded. Install what is optional too ' +
        '(npm ci --include=optional), or set PUBSUB=off.',
      { cause },
    );
  });
  return authorizeBy(() => new GoogleAuth({ scopes }));
}

/** Authorizes by the credentials that `make` gives, which keep a token while it is valid; after a refusal they are made again, and read their files again. */
export function authorizeBy(make: () => Pick<GoogleAuth, 'getRequestHeaders'>): Authorize {
  let auth = make();
  let current: string | null = null;
  return async (refused) => {
    // The first of several requests refused with the same token makes new credentials for all.
    if (refused && refused.get('authorization') === current) {
      auth = make();
      current = null;
    }
    // Errors of the library may hold parts of files and answers.
    const headers = await auth.getRequestHeaders().catch((error: unknown) => {
      throw new Error(`no access token from the application default credentials (${codeOf(error)})`);
    });
    current = headers.get('authorization');
    return headers;
  };
}

/** The code of a failure, or of what caused it. */
export function codeOf(error: unknown): string {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: unknown };
  if (typeof code === 'string' || typeof code === 'number') return String(code);
  return typeof cause === 'object' && cause !== null ? codeOf(cause) : String(name);
}
