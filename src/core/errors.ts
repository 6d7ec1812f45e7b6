import type { core, ZodMiniType } from 'zod/mini';
import { isFields } from './patch.ts';

/** The path of a value in the arguments of an operation: argument name first, then field names and list indexes. */
export type Path = readonly (string | number)[];

/** Every machine-readable reason a client can meet in `extensions.reason` or `issues[].reason`. */
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

/** Why a client is told of a value that was accepted: `extensions.warnings[].reason`. */
export type WarningReason =
  'readOnly' | 'ignored' | 'incomplete' | 'repeats' | 'notOffered' | 'normalized' | 'instancesRemoved';

/** One broken rule: what is wrong, what is allowed and, where there is one, the cure. */
export interface Issue {
  readonly path: Path;
  readonly reason: Reason;
  readonly message: string;
  /** The values that the message names, for clients with messages of their own. */
  readonly params?: Readonly<Record<string, string | number>>;
}

/** Something that was accepted but not applied, or not as it was sent. */
export interface Warning {
  readonly path: Path;
  readonly reason: WarningReason;
  readonly message: string;
  /** The figures that the message names. */
  readonly params?: Issue['params'];
}

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

/** Ends the start of a process. The message is for operators, and printed without a stack. */
export class StartError extends Error {}

/** An error that clients see as it is. Other errors are masked. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly issues: readonly Issue[];
  /** Further `extensions` beside code, reason and issues, such as the current etag. */
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    code: ErrorCode,
    reason: Reason,
    message: string,
    issues: readonly Issue[] = [],
    details: AppError['details'] = {},
    /** The underlying error, for the log only. */
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

/** An error with the reason and the message of its first issue. */
export function errorOf(code: ErrorCode, issues: readonly Issue[], details?: AppError['details']): AppError {
  const [first] = issues;
  if (!first) throw new Error('an error needs at least one issue');
  return new AppError(code, first.reason, first.message, issues, details);
}

export const errorAt = (code: ErrorCode, path: Path, reason: Reason, message: string): AppError =>
  errorOf(code, [{ path, reason, message }]);

/** A refusal for now: the same may succeed later. `cause`: for the log only. */
export const unavailable = (message: string, details?: AppError['details'], cause?: unknown): AppError =>
  new AppError('UNAVAILABLE', 'backendError', message, [], details, cause);

export const invalidInput = (issues: readonly Issue[]): AppError => errorOf('BAD_USER_INPUT', issues);

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const step of path) {
    if (Array.isArray(current)) current = typeof step === 'number' ? current[step] : undefined;
    else if (isFields(current) && Object.hasOwn(current, step)) current = current[String(step)];
    else return undefined;
  }
  return current;
}

/** A path in readable form: `reminders.overrides[0].minutes`. */
export function printPath(path: Path): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('');
}

/** Whether a path leads to, or through, the place of another one. */
export const startsWith = (path: Path, start: Path): boolean =>
  start.every((step, index) => path[index] === step);

/** The issues that zod finds. A refinement names reason and values by `params: { reason, ...values }`; others follow from the code. */
export function issuesOf(schema: ZodMiniType, value: unknown, prefix: Path = []): Issue[] {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return [];
  return result.error.issues.flatMap((issue): Issue[] => {
    const path = [...prefix, ...issue.path.filter((step) => typeof step !== 'symbol')];
    if (issue.code !== 'unrecognized_keys') {
      const params = paramsOf(issue);
      return [{ path, reason: reasonOf(issue), message: issue.message, ...(params && { params }) }];
    }
    return issue.keys.map((key) => ({
      path: [...path, key],
      reason: 'invalid',
      message: 'There is no such field.',
    }));
  });
}

function paramsOf(issue: core.$ZodIssue): Issue['params'] {
  const { reason: _reason, ...params } = issue.code === 'custom' ? (issue.params ?? {}) : {};
  return Object.keys(params).length > 0 ? params : undefined;
}

function reasonOf(issue: core.$ZodIssue): Reason {
  if (issue.code === 'custom') return (issue.params?.reason as Reason | undefined) ?? 'invalid';
  if (issue.code === 'too_big' && issue.origin === 'string') return 'tooLong';
  if (issue.code === 'too_big' && issue.origin === 'array') return 'tooMany';
  return issue.input === undefined ? 'required' : 'invalid';
}
