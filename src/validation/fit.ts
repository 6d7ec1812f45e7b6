import type { Issue, Path } from '../core/kernel/errors.ts';
import { isFields } from '../core/kernel/patch.ts';
import { maxIssues } from '../core/kernel/report.ts';
import { isDate, parseDateTime } from '../core/text/rfc3339.ts';
import { enumValues, inputFields } from '../generated/input-shapes.ts';

/** A value, or a part of one, that fits nothing. */
export const coercionError = Symbol('coercionError');

const maxEntries = 1_000;

export interface Fitted {
  /** What of the value fits; `coercionError` for nothing. */
  readonly value: unknown;
  /** Where it does not fit; paths start at the value. */
  readonly issues: readonly Issue[];
}

/** Holds a JSON value against a type of the schema, as the server does before its rules, and tells in the same words. */
export function fitInput(value: unknown, type: string): Fitted {
  const issues: Issue[] = [];
  const tell = (path: Path, reason: Issue['reason'], message: string, params?: Issue['params']): typeof coercionError => {
    if (issues.length < maxIssues) issues.push(params ? { path, reason, message, params } : { path, reason, message });
    return coercionError;
  };
  const fit = (given: unknown, written: string, path: Path): unknown => {
    if (written.endsWith('!')) {
      return given === null || given === undefined ? tell(path, 'required', 'This must not be null.') : fit(given, written.slice(0, -1), path);
    }
    if (given === null || given === undefined) return null;
    if (written.startsWith('[')) return fitList(given, written.slice(1, -1), path);
    const fields = inputFields[written];
    return fields ? fitObject(given, written, fields, path) : fitLeaf(given, written, path);
  };
  /** A value in place of a list is its only entry; one that could be no entry at all is told at the list. */
  const fitList = (given: unknown, entryType: string, path: Path): unknown => {
    if (!Array.isArray(given)) {
      const isEntry = isFields(given) && entryType.replace('!', '') in inputFields;
      const entry = fit(given, entryType, isEntry ? [...path, 0] : path);
      return entry === coercionError ? coercionError : [entry];
    }
    if (given.length > maxEntries) {
      const message = `A list may have at most ${maxEntries} entries; this one has ${given.length}.`;
      return tell(path, 'tooMany', message, { max: maxEntries, actual: given.length });
    }
    return given.map((entry, index) => {
      const fitting = fit(entry, entryType, [...path, index]);
      return fitting === coercionError ? null : fitting;
    });
  };
  const fitObject = (given: unknown, name: string, fields: Readonly<Record<string, string>>, path: Path): unknown => {
    if (!isFields(given)) return tell(path, 'invalid', 'This must be a JSON object.');
    const fitting: Record<string, unknown> = {};
    for (const key of Object.keys(given)) {
      if (given[key] === undefined || key === '__typename') continue;
      if (!Object.hasOwn(fields, key)) {
        tell([...path, key], 'invalid', `${name} has no field ${key}.`);
        continue;
      }
      const fitted = fit(given[key], fields[key] as string, [...path, key]);
      if (fitted !== coercionError) fitting[key] = fitted;
    }
    return fitting;
  };
  const fitLeaf = (given: unknown, name: string, path: Path): unknown => {
    const values = enumValues[name];
    if (values) {
      return typeof given === 'string' && values.includes(given) ? given : tell(path, 'invalid', `This value is not allowed here. Allowed: ${values.join(', ')}.`);
    }
    if (name === 'StringMap') return fitMap(given, path);
    const leaf = leaves[name];
    if (!leaf) throw new Error(`the type ${name} is not known here`);
    const parsed = leaf.read(given);
    return parsed === undefined ? tell(path, 'invalid', leaf.message) : parsed;
  };
  const fitMap = (given: unknown, path: Path): unknown => {
    if (!isFields(given)) return tell(path, 'invalid', 'StringMap must be a JSON object whose values are strings.');
    const entries = Object.entries(given);
    if (entries.length > maxEntries) return tell(path, 'invalid', `A StringMap may have at most ${maxEntries} entries in one request. Send fewer.`);
    const isSound = ([key, entry]: [string, unknown]): boolean => key !== '__proto__' && (typeof entry === 'string' || entry === null);
    for (const entry of entries) {
      if (!isSound(entry)) tell([...path, entry[0]], 'invalid', 'Every value of a StringMap must be a string, and __proto__ cannot be a key.');
    }
    return Object.fromEntries(entries.filter(isSound));
  };
  const fitting = fit(value, type, []);
  return { value: issues.length === 0 ? inOrder(fitting, type) : fitting, issues };
}

/** The fields in the order of the schema, in which the server reads what fits, so that issues come in one order. */
function inOrder(value: unknown, type: string): unknown {
  const bare = type.replace(/!$/, '');
  if (Array.isArray(value)) return value.map((entry) => inOrder(entry, bare.slice(1, -1)));
  const fields = inputFields[bare];
  if (!fields || !isFields(value)) return value;
  const names = Object.keys(fields).filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name], fields[name] as string)]));
}

interface Leaf {
  /** The value as it is taken; undefined when it does not fit. */
  readonly read: (value: unknown) => unknown;
  readonly message: string;
}

const stringThat = (fits: (value: string) => boolean) => (value: unknown) => (typeof value === 'string' && fits(value) ? value : undefined);

const leaves: Readonly<Record<string, Leaf>> = {
  String: { read: stringThat(() => true), message: 'This must be a string.' },
  ID: { read: (value) => (typeof value === 'string' ? value : Number.isInteger(value) ? String(value) : undefined), message: 'This must be a string.' },
  Boolean: { read: (value) => (typeof value === 'boolean' ? value : undefined), message: 'This must be true or false.' },
  Int: { read: (value) => (typeof value === 'number' && (value | 0) === value ? value : undefined), message: 'This must be a whole number from -2147483648 to 2147483647.' },
  DateTime: {
    read: stringThat((value) => Boolean(parseDateTime(value)?.offset)),
    message: 'DateTime must be a string: an RFC 3339 time with an offset, such as 2026-05-04T09:30:00Z.',
  },
  ZonedDateTime: {
    read: stringThat((value) => parseDateTime(value) !== null),
    message: 'dateTime must be a string: an RFC 3339 time such as 2026-05-04T09:30:00+02:00. Without the offset it needs a timeZone beside it.',
  },
  LocalDate: { read: stringThat(isDate), message: 'LocalDate must be a string: a day that exists, in the form yyyy-mm-dd, such as 2026-05-04.' },
};
