import type { Issue, Warning } from '../errors.ts';
import { type Fields, isFields, filterFields } from '../json.ts';
import { maxIssues } from '../report.ts';
import { isDate, parseDateTime } from '../time/local-time.ts';

/** Limit of lists and maps in a request: above that of every field, and cheap to iterate repeatedly. */
export const maxEntries = 1_000;

/** Adds the issue of a value of the wrong kind. `message` names the right one. */
export const addWrongKind = (value: unknown, message: string, errors: CoercionErrors) =>
  errors.add('invalid', Array.isArray(value) ? `${message} A list was sent.` : message);

/** Creates a coercer that passes valid values on unchanged. `message` names the right kind. */
const createCoercer =
  (isValid: (value: unknown) => boolean, message: string): Coerce =>
  (value, errors) =>
    isValid(value) ? value : addWrongKind(value, message, errors);

const isString = (value: unknown): value is string => typeof value === 'string';

const createStringCoercer = (isValid: (value: string) => boolean, message: string): Coerce =>
  createCoercer((value) => isString(value) && isValid(value), message);

const coerceString = createCoercer(isString, 'This must be a string.');

/** JSON object of strings. Null values pass: their meaning depends on the field. */
const coerceStringMap: Coerce = (value, errors) => {
  if (!isFields(value))
    return addWrongKind(value, 'StringMap must be a JSON object whose values are strings.', errors);
  if (Object.keys(value).length > maxEntries)
    return errors.add(
      'invalid',
      `A StringMap may have at most ${maxEntries} entries in one request. Send fewer.`,
    );
  const isValid = (entry: unknown, key: string) => (isString(entry) || entry === null) && key !== '__proto__';
  const message = 'Every value of a StringMap must be a string, and __proto__ cannot be a key.';
  return keepValidEntries(value, isValid, message, errors);
};

/** JSON object, passed on unchanged. Numbers that JavaScript cannot represent exactly are refused. */
const coerceJsonObject: Coerce = (value, errors) => {
  if (!isFields(value)) return addWrongKind(value, 'JSONObject must be a JSON object.', errors);
  const message =
    'This has a number that cannot be stored exactly (beyond 2^53, or not finite like 1e400). Send it as a string.';
  return keepValidEntries(value, (entry) => !hasInexactNumber(entry), message, errors);
};

/** Returns the object itself, or a copy without invalid entries, which are reported. */
function keepValidEntries(
  value: Fields,
  isValid: (entry: unknown, key: string) => boolean,
  message: string,
  errors: CoercionErrors,
): unknown {
  const invalidKeys = Object.keys(value).filter((key) => !isValid(value[key], key));
  if (invalidKeys.length === 0) return value;
  for (const key of invalidKeys) errors.addAt(key, 'invalid', message);
  return filterFields(value, (_entry, key) => !invalidKeys.includes(key));
}

/** Whether a value has a number that JavaScript cannot represent exactly, at any depth. */
function hasInexactNumber(value: unknown): boolean {
  if (typeof value !== 'number')
    return typeof value === 'object' && value !== null && Object.values(value).some(hasInexactNumber);
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}

/** Coercers of scalars, by name. They never receive null. */
export const scalarCoercers: Readonly<Record<string, Coerce>> = {
  String: coerceString,
  ID: (value, errors) => (Number.isInteger(value) ? String(value) : coerceString(value, errors)),
  Boolean: createCoercer((value) => typeof value === 'boolean', 'This must be true or false.'),
  // Numbers beyond 32 bits pass: the field's own rule refuses them with a message that names its range.
  Int: createCoercer(Number.isInteger, 'This must be a whole number.'),
  Float: createCoercer(Number.isFinite, 'This must be a number.'),
  DateTime: createStringCoercer(
    (value) => Boolean(parseDateTime(value)?.offset),
    'DateTime must be a string: an RFC 3339 time with an offset, such as 2026-05-04T09:30:00Z.',
  ),
  ZonedDateTime: createStringCoercer(
    (value) => parseDateTime(value) !== null,
    'dateTime must be a string: an RFC 3339 time such as 2026-05-04T09:30:00+02:00. Without the offset it needs a timeZone beside it.',
  ),
  LocalDate: createStringCoercer(
    isDate,
    'LocalDate must be a string: a day that exists, in the form yyyy-mm-dd, such as 2026-05-04.',
  ),
  StringMap: coerceStringMap,
  JSONObject: coerceJsonObject,
  PathSegment: createCoercer(
    (value) => isString(value) || Number.isInteger(value),
    'A step of a path must be a string or a whole number.',
  ),
  federation__Scope: createCoercer(isString, 'A scope must be a string.'),
};

/** Creates a coercer of an enum: its values are strings here. */
export function createEnumCoercer(names: readonly string[]): Coerce {
  const knownNames = new Set<unknown>(names);
  const allowedNames = names.join(', ');
  return (value, errors) => {
    if (knownNames.has(value)) return value;
    return isString(value)
      ? errors.add('invalid', `This value is not allowed here. Allowed: ${allowedNames}.`)
      : addWrongKind(value, `This must be one of these strings: ${allowedNames}.`, errors);
  };
}

/** Returned in place of a value that does not match its type. */
export const coercionError = Symbol('coercionError');

/** The coerced value, or `coercionError` with an issue in `errors`. */
export type Coerce = (value: unknown, errors: CoercionErrors) => unknown;

/** Returns the end of a message about an unknown name: a space and a suggestion, or ''. */
export type Suggest = (name: string, knownNames: readonly string[]) => string;

/** Collects coercion errors, at most `maxIssues`, and tracks the path of the current value. */
export class CoercionErrors {
  readonly issues: Issue[] = [];
  readonly warnings: Warning[] = [];
  readonly suggest: Suggest;
  readonly #path: (string | number)[] = [];

  constructor(suggest: Suggest = () => '') {
    this.suggest = suggest;
  }

  isFull(): boolean {
    return this.issues.length >= maxIssues;
  }

  /** Coerces the value at a field or index of the current value. */
  coerceAt(step: string | number, coerce: Coerce, value: unknown): unknown {
    this.#path.push(step);
    const coercedValue = coerce(value, this);
    this.#path.pop();
    return coercedValue;
  }

  /** Adds an issue of the current value. */
  add(reason: Issue['reason'], message: string, params?: Issue['params']): typeof coercionError {
    if (!this.isFull())
      this.issues.push({ path: [...this.#path], reason, message, ...(params && { params }) });
    return coercionError;
  }

  /** Adds an issue of a field of the current value. */
  addAt(field: string, reason: Issue['reason'], message: string): typeof coercionError {
    if (!this.isFull()) this.issues.push({ path: [...this.#path, field], reason, message });
    return coercionError;
  }

  /** Adds a warning of a field of the current value. */
  warnAt(field: string, warning: Omit<Warning, 'path'>): void {
    this.warnings.push({ ...warning, path: [...this.#path, field] });
  }
}
