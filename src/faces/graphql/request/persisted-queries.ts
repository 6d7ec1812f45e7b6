import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../../core/kernel/errors.ts';
import { RequestFault, type Params } from './params.ts';

/** Upper bound of the cache in characters; the least recently used documents are evicted. */
const maxSize = 4_000_000;
const maxAgeMs = 24 * 60 * 60 * 1000;

/** Operations that the operators list, and whether these are the only ones that run. */
export interface Listed {
  /** Their text by their SHA-256, hexadecimal. */
  readonly byHash: ReadonlyMap<string, string>;
  readonly only: boolean;
}

/** Documents by their SHA-256, as Apollo's automatic persisted queries have it. */
export interface PersistedQueries {
  /** The document of a request. Throws when its hash is unknown, or does not belong to its document. */
  resolve(params: Params): string;
  /** Caches a document that was parsed without an error. */
  keep(params: Params): void;
}

/** Listed documents are always known; with `only` no other document runs. */
export function createPersistedQueries(
  { byHash, only }: Listed = { byHash: new Map(), only: false },
): PersistedQueries {
  const known = new LRUCache<string, string>({
    maxSize,
    sizeCalculation: (query) => query.length + 64,
    ttl: maxAgeMs,
  });
  return {
    resolve({ query, persisted }) {
      if (query === undefined) {
        const found = persisted === undefined ? undefined : (byHash.get(persisted) ?? known.get(persisted));
        // In the words that Apollo's clients act upon.
        if (found === undefined)
          throw new GraphQLError('PersistedQueryNotFound', {
            extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
          });
        return found;
      }
      if (persisted !== undefined && persisted !== hashOf(query))
        throw new RequestFault('sha256Hash is not the SHA-256 of the query.');
      if (only && !byHash.has(persisted ?? hashOf(query))) throw notListed();
      return query;
    },
    keep({ query, persisted }) {
      if (!only && query !== undefined && persisted !== undefined) known.set(persisted, query);
    },
  };
}

function notListed(): AppError {
  const message =
    'This server runs the operations of its list only, and this one is not among them. Ask its operators to add it.';
  return new AppError('FORBIDDEN', 'forbidden', message, [{ path: ['query'], reason: 'forbidden', message }]);
}

/** SHA-256, hexadecimal. */
export const hashOf = (query: string): string => createHash('sha256').update(query).digest('hex');
