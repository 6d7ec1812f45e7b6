import { type Issue, type Path, valueAt } from '../errors.ts';
import { type Fields, isFields, patch, sameJson, withoutNulls } from '../patch.ts';
import { Report } from '../report.ts';
import type { FieldNode } from './table.ts';
import { validate, type Validation } from './validate.ts';

/** A field whose value a change alters. */
export interface ChangedField {
  readonly node: FieldNode;
  readonly path: Path;
}

/** A value that was sent for a field and is not stored. */
type Unapplied = ChangedField & { readonly value: unknown };

export interface Changing {
  readonly report: Report;
  /** The resource is being created: immutable fields may be set. */
  readonly creating: boolean;
  /** The altered fields, for the resource to permit or refuse. */
  readonly changedFields: ChangedField[];
  /** Read-only values that differ from the visible state: warnings, unless the stored result has the same values. */
  readonly unapplied: Unapplied[];
}

type Reduce = (node: FieldNode, seen: unknown, sent: unknown, path: Path, changing: Changing) => unknown;

/**
 * Reduces a change of a field to what alters its visible state: values that the caller sees already and read-only values
 * are left out, defaults become null, since they are stored as absent. Undefined when nothing is left.
 */
export const changeTo: Reduce = (node, seen, sent, path, changing) => {
  if (sent === undefined) return undefined;
  if (node.change === 'request') return undefined;
  if (node.kind === 'object' && !isWhole(node)) return changeToFields(node, seen, sent, path, changing);
  if (node.kind === 'map' && isFields(sent)) return changeToMap(node, seen, sent, path, changing);
  const value =
    node.kind === 'list' && Array.isArray(sent) ? entriesOf(node, seen, sent, path, changing) : sent;
  if (sameValue(node, seen, value)) return undefined;
  return settle(node, value, path, changing) ? withoutDefault(node, value) : undefined;
};

/** True for a value to be merged; otherwise notes it as unapplied or reports an issue. */
function settle(node: FieldNode, value: unknown, path: Path, changing: Changing): boolean {
  if (node.change === 'readOnly') changing.unapplied.push({ node, path, value });
  else if (node.change === 'immutable' && !changing.creating)
    changing.report.issue(path, 'immutable', immutable(node));
  else {
    changing.changedFields.push({ node, path });
    return true;
  }
  return false;
}

/** An object that is read-only or immutable throughout is compared and reported as one value. */
const isWhole = (node: FieldNode): boolean =>
  node.uniform && (node.change === 'readOnly' || node.change === 'immutable');

const changeToFields: Reduce = (node, seen, sent, path, changing) => {
  const old = isFields(seen) ? seen : undefined;
  // Clearing an object clears those of its fields that may be cleared.
  const names = sent === null ? [...node.fields.keys()] : Object.keys(sent as Fields);
  let result: Record<string, unknown> | undefined;
  for (const name of names) {
    const field = node.fields.get(name);
    if (!field) continue;
    const value = sent === null ? clearing(field) : (sent as Fields)[name];
    const reduced = changeTo(field, old?.[name], value, [...path, name], changing);
    if (reduced !== undefined) (result ??= {})[name] = reduced;
  }
  return result;
};

/** Read-only fields stay when their object is cleared, without a warning. */
const clearing = (field: FieldNode): null | undefined => (field.change === 'readOnly' ? undefined : null);

function changeToMap(node: FieldNode, seen: unknown, sent: Fields, path: Path, changing: Changing): unknown {
  const { entry } = node;
  const old = isFields(seen) ? seen : {};
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(sent)) {
    if ((sent[name] ?? undefined) === (Object.hasOwn(old, name) ? old[name] : undefined)) continue;
    if (!entry || !settle(entry, sent[name], [...path, name], changing)) continue;
    (result ??= Object.create(null) as Record<string, unknown>)[name] = sent[name];
  }
  return result;
}

/** The entries of a replaced list, with stored values in their read-only fields. Unchanged entries are the stored references. */
function entriesOf(
  node: FieldNode,
  seen: unknown,
  sent: readonly unknown[],
  path: Path,
  changing: Changing,
): readonly unknown[] {
  if (node.fields.size === 0 || (node.max && sent.length > node.max.entries)) return sent;
  const old = Array.isArray(seen) ? (seen as readonly Fields[]) : [];
  const known = new Map(old.map((entry) => [node.key?.(entry), entry]));
  const fixed = [...node.fields.values()].filter(({ change }) => change === 'readOnly');
  return sent.map((entry, index) => {
    if (!isFields(entry)) return entry;
    const key = node.key?.(entry);
    const stored = key === undefined ? undefined : known.get(key);
    let result: Record<string, unknown> | undefined;
    for (const field of fixed) {
      const value = entry[field.name] ?? undefined;
      const current = stored?.[field.name];
      if (value === current) continue;
      if (value !== undefined)
        changing.unapplied.push({ node: field, path: [...path, index, field.name], value });
      (result ??= { ...entry })[field.name] = current;
    }
    const made = result ?? entry;
    return stored && sameEntry(node, stored, made) ? stored : made;
  });
}

/** Compares a value with the visible state: absent, null and the default are the same. */
export function sameValue(node: FieldNode, seen: unknown, sent: unknown): boolean {
  const [a, b] = [seen ?? node.default, sent ?? node.default];
  if (a === b) return true;
  if (node.instant) return typeof a === 'string' && typeof b === 'string' && Date.parse(a) === Date.parse(b);
  if (node.kind === 'list') {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return node.fields.size === 0
      ? sameJson(a, b)
      : a.every((entry, index) => sameEntry(node, entry, b[index]));
  }
  if (node.kind === 'object') {
    const sentFields = isFields(b) ? b : {};
    return [...node.fields.values()].every((field) =>
      b !== undefined && sentFields[field.name] === undefined
        ? true
        : sameValue(field, (a as Fields | undefined)?.[field.name], sentFields[field.name]),
    );
  }
  return sameJson(a, b);
}

/** An entry is replaced as a whole: a field absent in it is cleared. */
const sameEntry = (node: FieldNode, seen: unknown, sent: unknown): boolean =>
  seen === sent ||
  (isFields(seen) &&
    isFields(sent) &&
    [...node.fields.values()].every((field) => sameValue(field, seen[field.name], sent[field.name])));

const withoutDefault = (node: FieldNode, value: unknown): unknown => (value === node.default ? null : value);

const immutable = ({ name }: FieldNode): string =>
  `The ${name} cannot be changed after creation. Leave it out, or send the value it has.`;

export const readOnlyMessage = ({ name }: FieldNode): string =>
  `The ${name} is set by the server: the value that was sent was ignored.`;

/** Removes read-only values, and notes them as unapplied: warnings, unless the stored result has the same values. */
export function withoutReadOnly(
  node: FieldNode,
  value: unknown,
  path: Path,
  unapplied: Unapplied[],
): unknown {
  if (node.change === 'readOnly' && node.uniform) {
    if (value !== null && value !== undefined) unapplied.push({ node, path, value });
    return undefined;
  }
  if (node.entry?.change === 'readOnly' && isFields(value)) {
    for (const name of Object.keys(value))
      unapplied.push({ node: node.entry, path: [...path, name], value: value[name] });
    return undefined;
  }
  if (Array.isArray(value)) {
    return node.fields.size === 0 || (node.max && value.length > node.max.entries)
      ? value
      : value.map((entry, index) => withoutFields(node, entry, [...path, index], unapplied));
  }
  return node.fields.size > 0 ? withoutFields(node, value, path, unapplied) : value;
}

function withoutFields(node: FieldNode, value: unknown, path: Path, unapplied: Unapplied[]): unknown {
  if (!isFields(value)) return value;
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const field = node.fields.get(name);
    const remaining = field ? withoutReadOnly(field, value[name], [...path, name], unapplied) : value[name];
    if (remaining === value[name]) continue;
    result ??= { ...value };
    if (remaining === undefined) delete result[name];
    else result[name] = remaining;
  }
  return result ?? value;
}

/** A body for a resource whose fields all have one storage, and may all be changed by whoever may change any. */
export interface BodyInput<T> {
  /** The name of the argument, with which paths begin. */
  readonly argument: string;
  readonly body: object;
  /** The resource as the caller sees it; empty for one that is made. */
  readonly seen: object;
  /** Its stored fields. */
  readonly before: T;
  readonly creating: boolean;
  readonly report: Report;
  /** The index at which the client sent an entry of a list of which some were left out. */
  readonly indexOf?: Validation['indexOf'];
}

export interface BodyChange<T> {
  /** The stored fields as they are to be; the very same object where nothing changes. */
  readonly next: T;
  /** Warns of values that the server sets, unless the resource shows the same. */
  readonly warnIgnored: (shown: object) => void;
}

/** Works out what a body changes, and validates that against the table. */
export function changeByBody<T extends object>(
  table: FieldNode,
  { argument, body, seen, before, creating, report, indexOf = asSent.indexOf }: BodyInput<T>,
): BodyChange<T> {
  const changing: Changing = { report, creating, changedFields: [], unapplied: [] };
  const change = changeTo(table, seen, body, [argument], changing);
  const next = change === undefined ? before : (patch<T>(before, change) ?? ({} as T));
  const [after, old] = [next, before] as [Fields, Fields];
  // Stored values beside the fields of the table do not belong to the body.
  for (const [name, field] of table.fields)
    validate(field, after[name], old[name], [argument, name], { report, ...asSent, indexOf });
  return {
    next,
    warnIgnored(shown) {
      for (const { node, path, value } of changing.unapplied) {
        if (!sameJson(valueAt(shown, path.slice(1)) ?? undefined, withoutNulls(value)))
          report.warn(path, 'readOnly', readOnlyMessage(node));
      }
    },
  };
}

/** The issues of a body by itself. */
export function issuesOfBody(table: FieldNode, body: object = {}, path: Path): Issue[] {
  const report = new Report();
  validate(table, clientFields(table, body), undefined, path, { report, ...asSent });
  return report.issues;
}

/** Fields that the server sets are ignored, whatever their value. */
const clientFields = (table: FieldNode, body: object): Fields =>
  withoutNulls(
    Object.fromEntries(
      Object.entries(body).filter(([name]) => table.fields.get(name)?.change !== 'readOnly'),
    ),
  );

/** Lists are validated as the client sent them. */
const asSent: Omit<Validation, 'report'> = {
  indexOf: (_list, index) => index,
  countOf: (_list, length) => length,
};
