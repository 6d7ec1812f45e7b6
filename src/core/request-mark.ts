import { createHash } from 'node:crypto';
import { errorOf, type AppError, type Issue } from './errors.ts';
import { isFields, withoutNulls } from './patch.ts';
import type { Clock } from './clock.ts';

/** Remembers the outcome of an insert, so that it can be sent again safely. */
export interface RequestMark {
  /** Unique for caller, operation and the request id the caller chose. */
  readonly key: string;
  /** Stands for the input: the same key with another fingerprint is refused. */
  readonly fingerprint: string;
  /** Epoch milliseconds from which on the mark is forgotten. */
  readonly until: number;
}

/**
 * What became of an insert.
 * - inserted: it was stored now.
 * - replayed: the same request was stored before; `record` is what it stored then.
 * - reused: the request id belongs to another input.
 * - taken: the identifier is in use.
 */
export type InsertOutcome<T> =
  | { readonly kind: 'inserted' | 'replayed'; readonly record: T }
  | { readonly kind: 'reused' }
  | { readonly kind: 'taken' };

const dayMs = 24 * 60 * 60 * 1000;
const maxLength = 256;

/** The mark of an insert that carries a request id: it lasts 24 hours and belongs to one caller and operation. */
export function requestMark(
  operation: string,
  caller: { readonly key: string },
  args: { readonly requestId?: string | null; readonly validateOnly?: boolean | null },
  clock: Clock,
): RequestMark | undefined {
  const { requestId, validateOnly: _only, ...input } = args;
  if (typeof requestId !== 'string') return undefined;
  return {
    key: JSON.stringify([caller.key, operation, requestId]),
    fingerprint: createHash('sha256').update(canonicalJson(withoutNulls(input))).digest('base64url'),
    until: clock() + dayMs,
  };
}

/** JSON with the keys of every object in order: neither that order nor a null says anything in an insert. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isFields(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** What is wrong with a request id. */
export function requestIdIssues(requestId: string | null | undefined): Issue[] {
  if (typeof requestId !== 'string') return [];
  const path = ['requestId'];
  if (requestId.length === 0) return [{ path, reason: 'invalid', message: 'requestId must not be empty.' }];
  if (requestId.length <= maxLength) return [];
  return [{ path, reason: 'tooLong', message: `requestId has at most ${maxLength} characters.` }];
}

export const requestIdReused = (): AppError =>
  errorOf('CONFLICT', [
    {
      path: ['requestId'],
      reason: 'requestIdReused',
      message: 'This requestId was used for another input within 24 hours. Send the same input, or a new requestId.',
    },
  ]);
