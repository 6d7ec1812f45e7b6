import { createHash } from 'node:crypto';
import { charactersIn } from '../text/characters.ts';
import type { Clock } from '../runtime/clock.ts';
import { errorOf, type AppError, type Issue } from './errors.ts';
import { isFields, withoutNulls } from './patch.ts';
import { bytesOf, mebibyte } from './size.ts';

/** What a store keeps of a change that carries a request id, so that it can be sent again safely. */
export interface RequestRecord {
  /** The caller whose request it is. */
  readonly caller: string;
  /** Stands for caller, operation and the request id that the caller chose; 43 ASCII characters. */
  readonly key: string;
  /** Stands for the input: the same key with another fingerprint is refused. */
  readonly fingerprint: string;
  /** Epoch milliseconds from which on the record is forgotten. */
  readonly until: number;
}

/** What a store finds of an earlier request with the same key. */
export interface EarlierRequest<T = unknown> {
  readonly fingerprint: string;
  /** A small JSON value: what the decision gave to be remembered. */
  readonly outcome: T;
}

/** How many bytes records may take, as `bytesOf` estimates them. */
export interface RequestRecordLimits {
  readonly bytes: number;
  /** The most that those of one caller may take of it, for each kind of resource. */
  readonly bytesPerCaller: number;
}

export const requestRecordLimits: RequestRecordLimits = { bytes: 64 * mebibyte, bytesPerCaller: 4 * mebibyte };

/** What a record takes, with all that is kept under its key. */
export const recordBytes = (key: string, kept: EarlierRequest & Pick<RequestRecord, 'until'>): number => bytesOf(key) + bytesOf(kept);

const dayMs = 24 * 60 * 60 * 1000;
const maxCharacters = 256;

/**
 * The record of a change, undefined without a request id. It lasts 24 hours and belongs to one caller and operation.
 * All other arguments are the input, save `validateOnly`; nulls and the order of keys say nothing in it.
 */
export function requestRecord(
  operation: string,
  caller: { readonly key: string },
  args: { readonly requestId?: string | null; readonly validateOnly?: boolean | null },
  clock: Clock,
): RequestRecord | undefined {
  const { requestId, validateOnly: _only, ...input } = args;
  // One that is too long anyway is not worth a digest: `requestIdIssues` has it refused.
  if (typeof requestId !== 'string' || requestId.length > 2 * maxCharacters) return undefined;
  return {
    caller: caller.key,
    key: digest(JSON.stringify([caller.key, operation, requestId])),
    fingerprint: digest(canonicalJson(withoutNulls(input))),
    until: clock() + dayMs,
  };
}

/** The outcome to give again, undefined for a request that is new. Throws CONFLICT when its id had another input. */
export function earlierOutcome<T>(request: RequestRecord | undefined, earlier: EarlierRequest | undefined): T | undefined {
  if (!earlier) return undefined;
  if (earlier.fingerprint !== request?.fingerprint) throw requestIdReused();
  return earlier.outcome as T;
}

const digest = (input: string): string => createHash('sha256').update(input).digest('base64url');

/** JSON with the keys of every object in order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isFields(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** What is wrong with a request id. */
export function requestIdIssues(requestId: string | null | undefined): Issue[] {
  if (typeof requestId !== 'string') return [];
  const actual = charactersIn(requestId);
  if (actual >= 1 && actual <= maxCharacters) return [];
  return [
    {
      path: ['requestId'],
      reason: actual === 0 ? 'invalid' : 'tooLong',
      message: `requestId has 1 to ${maxCharacters} characters; this one has ${actual}.`,
      params: { min: 1, max: maxCharacters, actual },
    },
  ];
}

export const requestIdReused = (): AppError =>
  errorOf('CONFLICT', [
    {
      path: ['requestId'],
      reason: 'requestIdReused',
      message: 'This requestId was used for another input within 24 hours. Send the same input, or a new requestId.',
    },
  ]);
