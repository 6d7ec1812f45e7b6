import { parse, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { conditionalRoot } from '../subscription/conditional-root.ts';
import { checkingCost, textFault } from './limits.ts';
import { RequestFault } from './params.ts';
import { hashOf } from './persisted-queries.ts';

/** Upper bound of the cache in characters of documents; a parsed document takes about 50 bytes for each. */
const maxSize = 1_000_000;

/** A parsed document, and the cost of parsing and validating it, in characters. */
export interface ReadDocument {
  readonly document: DocumentNode;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
  readonly size: number;
}

/** Parses documents, with a cache; listed ones are never evicted. Throws for syntax errors and for documents beyond the limits. */
export type Documents = (query: string) => ReadDocument;

export function createDocuments(listed: ReadonlyMap<string, ReadDocument> = new Map()): Documents {
  const known = new LRUCache<string, ReadDocument>({
    maxSize,
    sizeCalculation: (_document, query) => 100 + query.length,
  });
  return (query) => {
    const found = listed.get(query) ?? known.get(query);
    if (found) return found;
    const fault = textFault(query);
    if (fault !== undefined) throw new RequestFault(fault);
    const document = parse(query);
    const read = { document, hash: hashOf(query), size: checkingCost(document) };
    const conditional = conditionalRoot(document);
    if (conditional) throw conditional;
    known.set(query, read);
    return read;
  };
}

/** The engine's cache of documents that fit the schema. */
export const createDocumentCache = (): LRUCache<string, DocumentNode> =>
  new LRUCache({ maxSize, sizeCalculation: ({ loc }) => 100 + (loc?.source.body.length ?? maxSize) });
