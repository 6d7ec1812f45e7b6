import type { core, ZodMiniType } from 'zod/mini';
import { isFields } from './json.ts';

/** Path of a value in the arguments of an operation: argument name, then field names and list indexes. */
export type Path = readonly (string | number)[];

/** Machine-readable reason of an error: `extensions.reason` and `issues[].reason`. */
export type Reason =
  | 'required'
  | 'invalid'
  | 'immutable'
  | 'tooLong'
  | 'tooMany'
  | 'timeRangeEmpty'
  | 'eventRemindersCountExceedsLimit'
  | 'cannotUseDefaultRemindersAndSpecifyOverride'
  | 'authError'
  | 'insufficientScope'
  | 'forbidden'
  | 'forbiddenForNonOrganizer'
  | 'notFound'
  | 'duplicate'
  | 'requestIdReused'
  | 'conditionNotMet'
  | 'rateLimitExceeded'
  | 'notOffered'
  | 'backendError'
  | 'outcomeUnknown'
  | 'internalError';

/** Machine-readable reason of a warning: `extensions.warnings[].reason`. */
export type WarningReason =
  'readOnly' | 'ignored' | 'incomplete' | 'repeats' | 'notOffered' | 'normalized' | 'instancesRemoved';

/** A broken rule. The message says what is wrong, what is allowed and, if possible, the remedy. */
export interface Issue {
  readonly path: Path;
  readonly reason: Reason;
  readonly message: string;
  /** Values named in the message, for clients that write their own messages. */
  readonly params?: Readonly<Record<string, string | number>>;
}

/** Reports an accepted value that was not applied, or not as it was sent. */
export interface Warning {
  readonly path: Path;
  readonly reason: WarningReason;
  readonly message: string;
  readonly params?: Issue['params'];
}

/** Machine-readable class of an error: `extensions.code`. */
export type ErrorCode =
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'PRECONDITION_FAILED'
  | 'RATE_LIMITED'
  | 'UNAVAILABLE'
  | 'INTERNAL_SERVER_ERROR';

/** A failed start of a process. Its message is for operators and printed without a stack. */
export class StartError extends Error {}

/** An error that is sent to clients as it is. All other errors are masked. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly issues: readonly Issue[];
  /** Additional `extensions`, such as the current etag. */
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    code: ErrorCode,
    reason: Reason,
    message: string,
    issues: readonly Issue[] = [],
    details: AppError['details'] = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'AppError';
    this.code = code;
    this.reason = reason;
    this.issues = issues;
    this.details = details;
  }
}

/** Creates an error with the reason and the message of its first issue. */
export function errorOf(code: ErrorCode, issues: readonly Issue[], details?: AppError['details']): AppError {
  const [firstIssue] = issues;
  if (!firstIssue) throw new Error('an error needs at least one issue');
  return new AppError(code, firstIssue.reason, firstIssue.message, issues, details);
}

/** Creates an error with a single issue. */
export const errorAt = (code: ErrorCode, path: Path, reason: Reason, message: string): AppError =>
  errorOf(code, [{ path, reason, message }]);

/** Creates an error for a request that may succeed later. `cause`: for the log only. */
export const serviceUnavailableError = (
  message: string,
  details?: AppError['details'],
  cause?: unknown,
): AppError => new AppError('UNAVAILABLE', 'backendError', message, [], details, cause);

export const invalidInputError = (issues: readonly Issue[]): AppError => errorOf('BAD_USER_INPUT', issues);

/** Throws BAD_USER_INPUT if an input has issues. */
export function requireValid(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalidInputError(issues);
}

/** Reads the value at a path. Own fields only: names such as `toString` are absent. */
export function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const step of path) {
    if (Array.isArray(current)) current = typeof step === 'number' ? current[step] : undefined;
    else if (isFields(current) && Object.hasOwn(current, step)) current = current[String(step)];
    else return undefined;
  }
  return current;
}

/** Formats a path for messages: `reminders.overrides[0].minutes`. */
export function formatPath(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}

/** Whether a path is `start`, or leads below it. */
export const pathStartsWith = (path: Path, start: Path): boolean =>
  start.every((step, index) => path[index] === step);

/** Lists zod's issues. Refinements set reason and message values with `params: { reason, ...values }`. */
export function zodIssuesOf(schema: ZodMiniType, value: unknown, prefix: Path = []): Issue[] {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return [];
  return result.error.issues.flatMap((issue): Issue[] => {
    const path = [...prefix, ...issue.path.filter((step) => typeof step !== 'symbol')];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        path: [...path, key],
        reason: 'invalid',
        message: 'There is no such field.',
      }));
    if (issue.code !== 'custom') return [{ path, reason: reasonOf(issue), message: issue.message }];
    const { reason = 'invalid', ...params } = issue.params ?? {};
    const hasParams = Object.keys(params).length > 0;
    return [{ path, reason: reason as Reason, message: issue.message, ...(hasParams && { params }) }];
  });
}

function reasonOf(issue: core.$ZodIssue): Reason {
  if (issue.code === 'too_big' && issue.origin === 'string') return 'tooLong';
  if (issue.code === 'too_big' && issue.origin === 'array') return 'tooMany';
  return issue.input === undefined ? 'required' : 'invalid';
}
