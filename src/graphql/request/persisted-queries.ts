import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { RequestFault, type Params } from './params.ts';

/** In characters, over all documents; the least recently used are forgotten. */
const maxSize = 4_000_000;
const maxAgeMs = 24 * 60 * 60 * 1000;

/** Documents by their SHA-256, as Apollo's automatic persisted queries have it. */
export interface PersistedQueries {
  /** The document that a request means. Throws when it is not known, or is not the one it says. */
  resolve(params: Params): string;
  /** Remembers a document that was found to be one. */
  keep(params: Params): void;
}

export function createPersistedQueries(): PersistedQueries {
  const known = new LRUCache<string, string>({ maxSize, sizeCalculation: (query) => query.length + 64, ttl: maxAgeMs });
  return {
    resolve({ query, persisted }) {
      if (query === undefined) {
        const found = known.get(persisted ?? '');
        // In the words that Apollo's clients act upon.
        if (found === undefined) throw new GraphQLError('PersistedQueryNotFound', { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } });
        return found;
      }
      if (persisted !== undefined && persisted !== hashOf(query)) throw new RequestFault('sha256Hash is not the SHA-256 of the query.');
      return query;
    },
    keep({ query, persisted }) {
      if (query !== undefined && persisted !== undefined) known.set(persisted, query);
    },
  };
}

/** SHA-256, hexadecimal. */
export const hashOf = (query: string): string => createHash('sha256').update(query).digest('hex');
