import { type Issue, type Path, valueAt } from '../errors.ts';
import { type Fields, isFields, patch, sameJson, withoutNulls } from '../patch.ts';
import { Report } from '../report.ts';
import type { FieldNode } from './table.ts';
import { validate, type Validation } from './validate.ts';

export interface ChangedField {
  readonly node: FieldNode;
  readonly path: Path;
}

/** A read-only value that was sent and will not be stored. */
type Unapplied = ChangedField & { readonly value: unknown };

/** Collects the findings while one change is reduced. */
export interface ChangeContext {
  readonly report: Report;
  /** True for a new resource: immutable fields may be set. */
  readonly isCreating: boolean;
  readonly changedFields: ChangedField[];
  /** Read-only values that differ from the visible state. They become warnings unless the stored result has them too. */
  readonly unapplied: Unapplied[];
}

type Reduce = (node: FieldNode, seen: unknown, sent: unknown, path: Path, changing: ChangeContext) => unknown;

/**
 * Reduces a change to what alters the visible state: drops read-only and unchanged values. Defaults become null, because
 * they are stored as absent. Returns undefined if nothing is left.
 */
export const reduceChange: Reduce = (node, seen, sent, path, changing) => {
  if (sent === undefined) return undefined;
  if (node.change === 'request') return undefined;
  if (node.kind === 'object' && !isWhole(node)) return changeToFields(node, seen, sent, path, changing);
  if (node.kind === 'map' && isFields(sent)) return changeToMap(node, seen, sent, path, changing);
  const value =
    node.kind === 'list' && Array.isArray(sent) ? entriesOf(node, seen, sent, path, changing) : sent;
  if (sameValue(node, seen, value)) return undefined;
  return isApplicable(node, value, path, changing) ? withoutDefault(node, value) : undefined;
};

/** Returns true if the value may be merged; otherwise records it as unapplied or reports an issue. */
function isApplicable(node: FieldNode, value: unknown, path: Path, changing: ChangeContext): boolean {
  if (node.change === 'readOnly') changing.unapplied.push({ node, path, value });
  else if (node.change === 'immutable' && !changing.isCreating)
    changing.report.issue(path, 'immutable', immutableMessage(node));
  else {
    changing.changedFields.push({ node, path });
    return true;
  }
  return false;
}

/** Entirely read-only or immutable objects are compared and reported as a single value. */
const isWhole = (node: FieldNode): boolean =>
  node.isUniform && (node.change === 'readOnly' || node.change === 'immutable');

const changeToFields: Reduce = (node, seen, sent, path, changing) => {
  const old = isFields(seen) ? seen : undefined;
  // Null for an object clears each of its writable fields.
  const names = sent === null ? [...node.fields.keys()] : Object.keys(sent as Fields);
  let result: Record<string, unknown> | undefined;
  for (const name of names) {
    const field = node.fields.get(name);
    if (!field) continue;
    const value = sent === null ? clearedValue(field) : (sent as Fields)[name];
    const reduced = reduceChange(field, old?.[name], value, [...path, name], changing);
    if (reduced !== undefined) (result ??= {})[name] = reduced;
  }
  return result;
};

/** Read-only fields stay, without a warning, when their object is cleared. */
const clearedValue = (field: FieldNode): null | undefined => (field.change === 'readOnly' ? undefined : null);

function changeToMap(
  node: FieldNode,
  seen: unknown,
  sent: Fields,
  path: Path,
  changing: ChangeContext,
): unknown {
  const { entry } = node;
  const old = isFields(seen) ? seen : {};
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(sent)) {
    if ((sent[name] ?? undefined) === (Object.hasOwn(old, name) ? old[name] : undefined)) continue;
    if (!entry || !isApplicable(entry, sent[name], [...path, name], changing)) continue;
    (result ??= Object.create(null) as Record<string, unknown>)[name] = sent[name];
  }
  return result;
}

/** Copies stored read-only fields into the entries of a replaced list. Unchanged entries are the stored references. */
function entriesOf(
  node: FieldNode,
  seen: unknown,
  sent: readonly unknown[],
  path: Path,
  changing: ChangeContext,
): readonly unknown[] {
  if (node.fields.size === 0 || (node.max && sent.length > node.max.entries)) return sent;
  const old = Array.isArray(seen) ? (seen as readonly Fields[]) : [];
  const storedByKey = new Map(old.map((entry) => [node.key?.(entry), entry]));
  const readOnlyFields = [...node.fields.values()].filter(({ change }) => change === 'readOnly');
  return sent.map((entry, index) => {
    if (!isFields(entry)) return entry;
    const key = node.key?.(entry);
    const stored = key === undefined ? undefined : storedByKey.get(key);
    let result: Record<string, unknown> | undefined;
    for (const field of readOnlyFields) {
      const value = entry[field.name] ?? undefined;
      const current = stored?.[field.name];
      if (value === current) continue;
      if (value !== undefined)
        changing.unapplied.push({ node: field, path: [...path, index, field.name], value });
      (result ??= { ...entry })[field.name] = current;
    }
    const merged = result ?? entry;
    return stored && sameEntry(node, stored, merged) ? stored : merged;
  });
}

/** Compares a value with the visible state. Absent, null and the default are equal. */
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

/** List entries are replaced as a whole, so an absent field counts as cleared. */
const sameEntry = (node: FieldNode, seen: unknown, sent: unknown): boolean =>
  seen === sent ||
  (isFields(seen) &&
    isFields(sent) &&
    [...node.fields.values()].every((field) => sameValue(field, seen[field.name], sent[field.name])));

const withoutDefault = (node: FieldNode, value: unknown): unknown => (value === node.default ? null : value);

const immutableMessage = ({ name }: FieldNode): string =>
  `The ${name} cannot be changed after creation. Leave it out, or send the value it has.`;

export const readOnlyMessage = ({ name }: FieldNode): string =>
  `The ${name} is set by the server: your value was ignored.`;

export function withoutReadOnly(
  node: FieldNode,
  value: unknown,
  path: Path,
  unapplied: Unapplied[],
): unknown {
  if (node.change === 'readOnly' && node.isUniform) {
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

/** Body of a resource that is stored as one object, with the same write permission for all fields. */
export interface BodyInput<T> {
  /** Argument name: the first step of every path. */
  readonly argument: string;
  readonly body: object;
  /** Resource as the caller sees it; empty on creation. */
  readonly seen: object;
  readonly before: T;
  readonly isCreating: boolean;
  readonly report: Report;
  /** Maps an index to the one that the client sent, if entries were removed from a list. */
  readonly indexOf?: Validation['indexOf'];
}

export interface BodyChange<T> {
  /** Fields to store; the same object as `before` if nothing changes. */
  readonly next: T;
  /** Warns about ignored read-only values, except those that the stored resource shows anyway. */
  readonly warnIgnored: (shown: object) => void;
}

/** Reduces a body to its changes, merges them, and validates the result against the table. */
export function changeByBody<T extends object>(
  table: FieldNode,
  { argument, body, seen, before, isCreating, report, indexOf = asSent.indexOf }: BodyInput<T>,
): BodyChange<T> {
  const changing: ChangeContext = { report, isCreating: isCreating, changedFields: [], unapplied: [] };
  const change = reduceChange(table, seen, body, [argument], changing);
  const next = change === undefined ? before : (patch<T>(before, change) ?? ({} as T));
  const [after, old] = [next, before] as [Fields, Fields];
  // Only the fields of the table: a record may store others, which are not part of the body.
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

/** Validates a body without a stored resource. */
export function issuesOfBody(table: FieldNode, body: object = {}, path: Path): Issue[] {
  const report = new Report();
  validate(table, writableFields(table, body), undefined, path, { report, ...asSent });
  return report.issues;
}

/** Removes read-only fields, which are ignored whatever their value. */
const writableFields = (table: FieldNode, body: object): Fields =>
  withoutNulls(
    Object.fromEntries(
      Object.entries(body).filter(([name]) => table.fields.get(name)?.change !== 'readOnly'),
    ),
  );

/** Positions and counts for lists that are validated as the client sent them. */
const asSent: Omit<Validation, 'report'> = {
  indexOf: (_list, index) => index,
  countOf: (_list, length) => length,
};
