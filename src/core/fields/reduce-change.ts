import { type Issue, type Path, valueAt } from '../errors.ts';
import { type Fields, isFields, patch, isSameJson, withoutNulls, filterFields } from '../json.ts';
import { Report } from '../report.ts';
import type { FieldNode } from './table.ts';
import { validate, type Validation } from './validate.ts';

/** Field that a change sets, and the path of its value in the input. */
export interface ChangedField {
  readonly node: FieldNode;
  readonly path: Path;
}

/** A read-only value that was sent and will not be stored. */
type UnappliedValue = ChangedField & { readonly value: unknown };

/** Collects the findings while one change is reduced. */
export interface ChangeContext {
  readonly report: Report;
  /** True for a new resource: immutable fields may be set. */
  readonly isCreating: boolean;
  readonly changedFields: ChangedField[];
  /** Read-only values that differ from the visible state. They become warnings unless the stored result has them too. */
  readonly unappliedValues: UnappliedValue[];
}

/** Reduces the input of one field; undefined if it changes nothing. `current`: the visible value. */
type ReduceValue = (
  node: FieldNode,
  current: unknown,
  input: unknown,
  path: Path,
  context: ChangeContext,
) => unknown;

/**
 * Reduces a change to what alters the visible state: drops read-only and unchanged values. Defaults become null, because
 * they are stored as absent. Returns undefined if nothing is left.
 */
export const reduceChange: ReduceValue = (node, current, input, path, context) => {
  if (input === undefined) return undefined;
  if (node.change === 'request') return undefined;
  if (node.kind === 'object' && !isComparedWhole(node))
    return reduceFields(node, current, input, path, context);
  if (node.kind === 'map' && isFields(input)) return reduceMap(node, current, input, path, context);
  const value =
    node.kind === 'list' && Array.isArray(input)
      ? completeEntries(node, current, input, path, context)
      : input;
  if (isSameFieldValue(node, current, value)) return undefined;
  return isApplicable(node, value, path, context) ? withoutDefault(node, value) : undefined;
};

/** Returns true if the value may be merged; otherwise records it as unapplied or reports an issue. */
function isApplicable(node: FieldNode, value: unknown, path: Path, context: ChangeContext): boolean {
  if (node.change === 'readOnly') context.unappliedValues.push({ node, path, value });
  else if (node.change === 'immutable' && !context.isCreating)
    context.report.addIssue(path, 'immutable', immutableMessage(node));
  else {
    context.changedFields.push({ node, path });
    return true;
  }
  return false;
}

/** Entirely read-only or immutable objects are compared and reported as a single value. */
const isComparedWhole = (node: FieldNode): boolean =>
  node.isUniform && (node.change === 'readOnly' || node.change === 'immutable');

const reduceFields: ReduceValue = (node, current, input, path, context) => {
  const visibleFields = isFields(current) ? current : undefined;
  // Null for an object clears each of its writable fields.
  const names = input === null ? [...node.fields.keys()] : Object.keys(input as Fields);
  let result: Record<string, unknown> | undefined;
  for (const name of names) {
    const field = node.fields.get(name);
    if (!field) continue;
    // Read-only fields stay, without a warning, when their object is cleared.
    const clearedValue = field.change === 'readOnly' ? undefined : null;
    const value = input === null ? clearedValue : (input as Fields)[name];
    const reducedValue = reduceChange(field, visibleFields?.[name], value, [...path, name], context);
    if (reducedValue !== undefined) (result ??= {})[name] = reducedValue;
  }
  return result;
};

/** Reduces the entries of a map: null removes one. */
function reduceMap(
  node: FieldNode,
  current: unknown,
  input: Fields,
  path: Path,
  context: ChangeContext,
): unknown {
  const { entry } = node;
  const visibleMap = isFields(current) ? current : {};
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(input)) {
    if ((input[name] ?? undefined) === (Object.hasOwn(visibleMap, name) ? visibleMap[name] : undefined))
      continue;
    if (!entry || !isApplicable(entry, input[name], [...path, name], context)) continue;
    // The prototype is null, so that an entry may be called `__proto__`.
    (result ??= Object.create(null) as Record<string, unknown>)[name] = input[name];
  }
  return result;
}

/** Copies stored read-only fields into the entries of a replaced list. Unchanged entries are the stored references. */
function completeEntries(
  node: FieldNode,
  current: unknown,
  input: readonly unknown[],
  path: Path,
  context: ChangeContext,
): readonly unknown[] {
  if (node.fields.size === 0 || (node.max && input.length > node.max.entries)) return input;
  const visibleEntries = Array.isArray(current) ? (current as readonly Fields[]) : [];
  const storedEntryByKey = new Map(visibleEntries.map((entry) => [node.key?.(entry), entry]));
  const readOnlyFields = [...node.fields.values()].filter(({ change }) => change === 'readOnly');
  return input.map((entry, index) => {
    if (!isFields(entry)) return entry;
    const key = node.key?.(entry);
    const storedEntry = key === undefined ? undefined : storedEntryByKey.get(key);
    let result: Record<string, unknown> | undefined;
    for (const field of readOnlyFields) {
      const value = entry[field.name] ?? undefined;
      const storedValue = storedEntry?.[field.name];
      if (value === storedValue) continue;
      if (value !== undefined)
        context.unappliedValues.push({ node: field, path: [...path, index, field.name], value });
      (result ??= { ...entry })[field.name] = storedValue;
    }
    const completeEntry = result ?? entry;
    return storedEntry && isSameEntry(node, storedEntry, completeEntry) ? storedEntry : completeEntry;
  });
}

/** Compares a value with the visible state. Absent, null and the default are equal. */
export function isSameFieldValue(node: FieldNode, current: unknown, input: unknown): boolean {
  const [currentOrDefault, inputOrDefault] = [current ?? node.default, input ?? node.default];
  if (currentOrDefault === inputOrDefault) return true;
  if (node.isInstant)
    return (
      typeof currentOrDefault === 'string' &&
      typeof inputOrDefault === 'string' &&
      Date.parse(currentOrDefault) === Date.parse(inputOrDefault)
    );
  if (node.kind === 'list') {
    if (
      !Array.isArray(currentOrDefault) ||
      !Array.isArray(inputOrDefault) ||
      currentOrDefault.length !== inputOrDefault.length
    )
      return false;
    return node.fields.size === 0
      ? isSameJson(currentOrDefault, inputOrDefault)
      : currentOrDefault.every((entry, index) => isSameEntry(node, entry, inputOrDefault[index]));
  }
  if (node.kind === 'object') {
    const sentFields = isFields(inputOrDefault) ? inputOrDefault : {};
    return [...node.fields.values()].every((field) =>
      inputOrDefault !== undefined && sentFields[field.name] === undefined
        ? true
        : isSameFieldValue(
            field,
            (currentOrDefault as Fields | undefined)?.[field.name],
            sentFields[field.name],
          ),
    );
  }
  return isSameJson(currentOrDefault, inputOrDefault);
}

/** List entries are replaced as a whole, so an absent field counts as cleared. */
const isSameEntry = (node: FieldNode, current: unknown, input: unknown): boolean =>
  current === input ||
  (isFields(current) &&
    isFields(input) &&
    [...node.fields.values()].every((field) =>
      isSameFieldValue(field, current[field.name], input[field.name]),
    ));

/** Defaults are stored as absent, which null means in a change. */
const withoutDefault = (node: FieldNode, value: unknown): unknown => (value === node.default ? null : value);

const immutableMessage = ({ name }: FieldNode): string =>
  `The ${name} cannot be changed after creation. Leave it out, or send the value it has.`;

export const readOnlyMessage = ({ name }: FieldNode): string =>
  `The ${name} is set by the server: your value was ignored.`;

/** Removes read-only values, and adds them to `unappliedValues`. */
export function removeReadOnly(
  node: FieldNode,
  value: unknown,
  path: Path,
  unappliedValues: UnappliedValue[],
): unknown {
  if (node.change === 'readOnly' && node.isUniform) {
    if (value !== null && value !== undefined) unappliedValues.push({ node, path, value });
    return undefined;
  }
  if (node.entry?.change === 'readOnly' && isFields(value)) {
    for (const name of Object.keys(value))
      unappliedValues.push({ node: node.entry, path: [...path, name], value: value[name] });
    return undefined;
  }
  if (Array.isArray(value)) {
    return node.fields.size === 0 || (node.max && value.length > node.max.entries)
      ? value
      : value.map((entry, index) => removeReadOnlyFields(node, entry, [...path, index], unappliedValues));
  }
  return node.fields.size > 0 ? removeReadOnlyFields(node, value, path, unappliedValues) : value;
}

function removeReadOnlyFields(
  node: FieldNode,
  value: unknown,
  path: Path,
  unapplied: UnappliedValue[],
): unknown {
  if (!isFields(value)) return value;
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const field = node.fields.get(name);
    const remainingValue = field
      ? removeReadOnly(field, value[name], [...path, name], unapplied)
      : value[name];
    if (remainingValue === value[name]) continue;
    result ??= { ...value };
    if (remainingValue === undefined) delete result[name];
    else result[name] = remainingValue;
  }
  return result ?? value;
}

/** Body of a resource that is stored as one object, with the same write permission for all fields. */
export interface BodyInput<T> {
  /** Argument name: the first step of every path. */
  readonly argument: string;
  readonly body: object;
  /** Resource as the caller sees it; empty on creation. */
  readonly visibleResource: object;
  readonly before: T;
  readonly isCreating: boolean;
  readonly report: Report;
  /** Maps an index to the one that the client sent, if entries were removed from a list. */
  readonly indexOf?: Validation['indexOf'];
}

/** Reduces a body to its changes, merges them, and validates the result against the table. */
export function changeByBody<T extends object>(
  table: FieldNode,
  { argument, body, visibleResource, before, isCreating, report, indexOf }: BodyInput<T>,
) {
  const context: ChangeContext = { report, isCreating, changedFields: [], unappliedValues: [] };
  const change = reduceChange(table, visibleResource, body, [argument], context);
  const next = change === undefined ? before : (patch<T>(before, change) ?? ({} as T));
  const [newFields, oldFields] = [next, before] as [Fields, Fields];
  // Only the fields of the table: a record may store others, which are not part of the body.
  for (const [name, field] of table.fields)
    validate(field, newFields[name], oldFields[name], [argument, name], { report, indexOf });
  return {
    /** Fields to store; the same object as `before` if nothing changes. */
    next,
    /** Warns about ignored read-only values, except those that the stored resource shows anyway. */
    warnIgnored(this: void, visibleResult: object): void {
      for (const { node, path, value } of context.unappliedValues) {
        if (!isSameJson(valueAt(visibleResult, path.slice(1)) ?? undefined, withoutNulls(value)))
          report.warn(path, 'readOnly', readOnlyMessage(node));
      }
    },
  };
}

/** Validates a body without a stored resource. Read-only fields are ignored, whatever their value. */
export function issuesOfBody(table: FieldNode, body: object = {}, path: Path): Issue[] {
  const report = new Report();
  const writableFields = filterFields(body, (_value, name) => table.fields.get(name)?.change !== 'readOnly');
  validate(table, withoutNulls(writableFields), undefined, path, { report });
  return report.issues;
}
