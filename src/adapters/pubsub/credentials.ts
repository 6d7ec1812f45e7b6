import type { GoogleAuth } from 'google-auth-library';
import { StartError } from '../../core/errors.ts';

/** Returns authorization headers. `refusedHeaders`: headers that the service rejected, which must be replaced. */
export type Authorize = (refused?: Headers) => Promise<Headers>;

/** Authorization for an emulator, which needs no credentials. */
export const authorizeWithoutCredentials: Authorize = async () => new Headers();

const scopes = ['https://www.googleapis.com/auth/pubsub'];

type LoadLibrary = () => Promise<{ readonly GoogleAuth: typeof GoogleAuth }>;

/** Authorizes by Google Cloud's application default credentials. Loads the optional package on demand. */
export async function loadGoogleCredentials(
  load: LoadLibrary = () => import('google-auth-library'),
): Promise<Authorize> {
  const { GoogleAuth } = await load().catch((cause: unknown) => {
    throw new StartError(
      'PUBSUB: the package google-auth-library is missing or cannot be loaded. Install optional dependencies ' +
        '(npm ci --include=optional), or set PUBSUB=off.',
      { cause },
    );
  });
  return createAuthorize(() => new GoogleAuth({ scopes }));
}

/** Authorizes by credentials that cache a token while it is valid. A refusal creates new ones, which read their files again. */
export function createAuthorize(createAuth: () => Pick<GoogleAuth, 'getRequestHeaders'>): Authorize {
  let auth = createAuth();
  let currentToken: string | null = null;
  return async (refusedHeaders) => {
    // The first of several requests refused with one token renews the credentials for all.
    if (refusedHeaders && refusedHeaders.get('authorization') === currentToken) {
      auth = createAuth();
      currentToken = null;
    }
    // Error messages of the library may contain parts of files and responses.
    const headers = await auth.getRequestHeaders().catch((error: unknown) => {
      throw new Error(`no access token from the application default credentials (${errorCode(error)})`);
    });
    currentToken = headers.get('authorization');
    return headers;
  };
}

/** The code of an error or of its cause, or else its name. */
export function errorCode(error: unknown): string {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: unknown };
  if (typeof code === 'string' || typeof code === 'number') return String(code);
  return typeof cause === 'object' && cause !== null ? errorCode(cause) : String(name);
}
