import { hash } from 'node:crypto';
import { countCharacters } from './text/characters.ts';
import type { Clock } from './runtime/clock.ts';
import { errorAt, type AppError, type Issue } from './errors.ts';
import { estimateBytes, canonicalJson, mebibyte, withoutNulls } from './json.ts';

/** Record of a request with a `requestId`, stored with its change, so that the request can be repeated safely. */
export interface RequestRecord {
  readonly caller: string;
  /** Digest of caller, operation and request id: 43 ASCII characters. */
  readonly key: string;
  /** Digest of the arguments without `validateOnly`, nulls and key order. The same key with another one is refused. */
  readonly fingerprint: string;
  /** When the record expires (epoch ms). */
  readonly until: number;
}

/** A stored request with the same key. */
export interface EarlierRequest<T = unknown> {
  readonly fingerprint: string;
  /** Small JSON value from the decision, to repeat the response. */
  readonly outcome: T;
}

/** Memory limits for request records, estimated by `estimateRecordBytes`. */
export interface RequestRecordLimits {
  readonly maxBytes: number;
  /** Applies to each kind of resource separately. */
  readonly maxBytesPerCaller: number;
}

/** Limits of the stores, unless others are given. */
export const defaultRequestRecordLimits: RequestRecordLimits = {
  maxBytes: 64 * mebibyte,
  maxBytesPerCaller: 4 * mebibyte,
};

/** Estimates the memory of a stored request in bytes. */
export const estimateRecordBytes = (
  key: string,
  stored: EarlierRequest & Pick<RequestRecord, 'until'>,
): number => estimateBytes(key) + estimateBytes(stored);

/** Argument of a dry run, which validates and responds like a write, but stores nothing. */
export interface DryRunArgs {
  readonly validateOnly?: boolean | null;
}

/** Arguments of a write that a client can send again safely, with the same `requestId`. */
export interface RepeatableArgs extends DryRunArgs {
  readonly requestId?: string | null;
}

const dayMs = 24 * 60 * 60 * 1000;
const maxIdCharacters = 256;

/** Creates the record of a change, valid for 24 hours, one caller and one operation; undefined without a request id. */
export function createRequestRecord(
  operation: string,
  caller: { readonly key: string },
  args: RepeatableArgs,
  clock: Clock,
): RequestRecord | undefined {
  // `requestIdIssues` refuses longer ids, so hashing them is wasted.
  if (typeof args.requestId !== 'string' || args.requestId.length > 2 * maxIdCharacters) return undefined;
  const { requestId, validateOnly: _validateOnly, ...input } = args;
  return {
    caller: caller.key,
    key: digest(JSON.stringify([caller.key, operation, requestId])),
    fingerprint: digest(canonicalJson(withoutNulls(input))),
    until: clock() + dayMs,
  };
}

/** Returns the outcome to repeat, undefined for a new request. Throws CONFLICT if the request id had another input. */
export function readEarlierOutcome<T>(
  request: RequestRecord | undefined,
  earlierRequest: EarlierRequest | undefined,
): T | undefined {
  if (!earlierRequest) return undefined;
  if (earlierRequest.fingerprint !== request?.fingerprint) throw requestIdReusedError();
  return earlierRequest.outcome as T;
}

const digest = (input: string): string => hash('sha256', input, 'base64url');

export function requestIdIssues(requestId: string | null | undefined): Issue[] {
  if (typeof requestId !== 'string') return [];
  const params = { min: 1, max: maxIdCharacters, actual: countCharacters(requestId) };
  if (params.actual >= 1 && params.actual <= maxIdCharacters) return [];
  const message = `requestId has 1 to ${maxIdCharacters} characters; this one has ${params.actual}.`;
  return [{ path: ['requestId'], reason: params.actual === 0 ? 'invalid' : 'tooLong', message, params }];
}

/** Error for a request id that came with another input before. */
export const requestIdReusedError = (): AppError =>
  errorAt(
    'CONFLICT',
    ['requestId'],
    'requestIdReused',
    'This requestId was used for another input within 24 hours. Send the same input, or a new requestId.',
  );
