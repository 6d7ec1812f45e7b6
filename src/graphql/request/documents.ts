import { parse, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { checkLimits, textFault } from './limits.ts';
import { RequestFault } from './params.ts';

/** In characters of the documents; parsed, each takes some fifty times as much. */
const maxSize = 1_000_000;

/** Parses documents, once each as long as they are remembered. Throws for one that is none, or too large to be checked. */
export type Documents = (query: string) => DocumentNode;

export function createDocuments(): Documents {
  const known = createDocumentCache();
  return (query) => {
    const found = known.get(query);
    if (found) return found;
    const fault = textFault(query);
    if (fault !== undefined) throw new RequestFault(fault);
    const document = parse(query);
    checkLimits(document);
    known.set(query, document);
    return document;
  };
}

/** Bounded by the size of what it holds. */
export const createDocumentCache = (): LRUCache<string, DocumentNode> =>
  new LRUCache({ maxSize, sizeCalculation: ({ loc }) => 100 + (loc?.source.body.length ?? maxSize) });
