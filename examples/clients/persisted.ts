import { ApolloClient, HttpLink } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { createCache } from './apollo.ts';

/** Returns the SHA-256 hash of a query in hexadecimal digits. */
const sha256 = async (query: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(query));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

/**
 * Creates a client with automatic persisted queries: it sends the hash of a query in a GET, and the text of
 * the query only once.
 */
export const createClient = (uri: string, token: string, fetchFn = fetch): ApolloClient =>
  new ApolloClient({
    cache: createCache(),
    link: new PersistedQueryLink({ sha256, useGETForHashedQueries: true }).concat(
      new HttpLink({ uri, fetch: fetchFn, headers: { authorization: `Bearer ${token}` } }),
    ),
  });
