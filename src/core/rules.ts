import type { Issue, Path, Warning } from './errors.ts';
import { valueAt } from './path.ts';
import { differs, isFields } from './patch.ts';

/**
 * Who may change a field.
 * - readOnly: the server sets it; what a client sends is ignored, with a warning when it differs.
 * - immutable: set when the resource is made; the same value passes, another is an issue.
 * - once: an entry's field, set when the entry is added; ignored later, with a warning when it differs.
 * - request: steers this one request and is not stored.
 * - creator, copy, own, shared: stored; whether the caller may change it is the resource's decision (`permit`).
 */
export type FieldClass = 'readOnly' | 'immutable' | 'once' | 'request' | 'creator' | 'copy' | 'own' | 'shared';

/** One rule for every field path; list entries are written `attendees[].email`, map entries `map.*`. */
export type FieldRules = Readonly<Record<string, FieldClass>>;

/** The name by which entries of a list are recognised: `{ 'attendees[]': entry => key }`. */
export type EntryKeys = Readonly<Record<string, (entry: Fields) => string | undefined>>;

type Fields = Readonly<Record<string, unknown>>;

/** A field the change would alter, for the resource to permit or refuse. */
export interface FieldChange {
  readonly rule: FieldClass;
  /** The rule's path: `attendees[]`. */
  readonly field: string;
  readonly before: unknown;
  readonly change: unknown;
}

export interface RuleInput {
  readonly rules: FieldRules;
  readonly entryKeys: EntryKeys;
  /** True while the resource is being made: immutable fields may still be given. */
  readonly creating: boolean;
  /** The resource as the caller sees it; of a new one, what the server will set. */
  readonly seen: Fields;
  readonly change: Fields;
  /** Where the change stands among the arguments: `['event']`. */
  readonly path: Path;
  /** The refusal of a change the caller may not make. */
  readonly permit: (change: FieldChange) => Pick<Issue, 'reason' | 'message'> | undefined;
}

export interface RuleOutcome {
  /** What is left of the change to be merged. */
  readonly change: Fields;
  readonly issues: readonly Issue[];
  readonly refusals: readonly Issue[];
  readonly warnings: readonly Warning[];
}

/**
 * Applies a rule table to a change: finds what may not change, drops what the caller may not set (with warnings)
 * and what would leave the field as the caller sees it.
 */
export function applyRules(input: RuleInput): RuleOutcome {
  const walk: Walk = { ...input, issues: [], refusals: [], warnings: [] };
  const change = walkFields(walk, '', input.seen, input.change, input.path);
  return { change, issues: walk.issues, refusals: walk.refusals, warnings: walk.warnings };
}

interface Walk extends Omit<RuleInput, 'seen' | 'change' | 'path'> {
  readonly issues: Issue[];
  readonly refusals: Issue[];
  readonly warnings: Warning[];
}

function walkFields(walk: Walk, parent: string, seen: unknown, change: Fields, path: Path): Fields {
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(change)) {
    if (change[name] === undefined) continue;
    const field = parent ? `${parent}.${name}` : name;
    const before = isFields(seen) && Object.hasOwn(seen, name) ? seen[name] : undefined;
    const kept = walkField(walk, field, before, change[name], [...path, name]);
    if (kept !== undefined) result[name] = kept;
  }
  return result;
}

/** What is left of the change to one field: undefined when nothing is. */
function walkField(walk: Walk, field: string, seen: unknown, change: unknown, path: Path): unknown {
  const list = `${field}[]`;
  if (walk.rules[list]) return decide(walk, list, seen, walkEntries(walk, list, seen, change, path), path);
  const rule = walk.rules[field];
  if (!rule) throw new Error(`no rule for the field ${field}`);
  const children = childrenOf(walk.rules, field);
  if (children.length === 0 || rule === 'readOnly' || rule === 'immutable') {
    return decide(walk, field, seen, change, path);
  }
  // To clear an object is to clear its fields: those that may not be cleared stay.
  const fields = change === null ? Object.fromEntries(children.map((name) => [name, null])) : (change as Fields);
  return walkFields(walk, field, seen, fields, path);
}

function decide(walk: Walk, field: string, seen: unknown, change: unknown, path: Path): unknown {
  const rule = walk.rules[field] as FieldClass;
  if (rule === 'request') return change;
  const changes = differs(seen, change);
  if (rule === 'readOnly') {
    if (changes) walk.warnings.push(readOnlyWarning(path));
    return undefined;
  }
  if (rule === 'immutable') {
    if (walk.creating) return change;
    if (changes) walk.issues.push(immutableIssue(path));
    return undefined;
  }
  const refusal = changes ? walk.permit({ rule, field, before: seen, change }) : undefined;
  if (refusal) walk.refusals.push({ path, ...refusal });
  return refusal || !changes ? undefined : change;
}

function walkEntries(walk: Walk, list: string, seen: unknown, change: unknown, path: Path): unknown {
  const names = childrenOf(walk.rules, list);
  if (!Array.isArray(change) || names.length === 0) return change;
  const fixed = names.filter((name) => ['readOnly', 'once'].includes(walk.rules[`${list}.${name}`] as string));
  if (fixed.length === 0) return change;
  const keyOf = walk.entryKeys[list] ?? (() => undefined);
  const known = new Map<string, Fields>();
  for (const entry of Array.isArray(seen) ? (seen as Fields[]) : []) {
    const key = keyOf(entry);
    if (key !== undefined) known.set(key, entry);
  }
  return change.map((entry: Fields, index) => {
    const key = keyOf(entry);
    const stored = key === undefined ? undefined : known.get(key);
    return fixEntry(walk, list, fixed, stored, entry, [...path, index]);
  });
}

/** The entry with its read-only fields, and those set once, as they are stored. */
function fixEntry(walk: Walk, list: string, fixed: string[], stored: Fields | undefined, entry: Fields, path: Path) {
  const result: Record<string, unknown> = { ...entry };
  for (const name of fixed) {
    const rule = walk.rules[`${list}.${name}`];
    if (rule === 'once' && !stored) continue;
    if (entry[name] !== undefined && differs(stored?.[name], entry[name])) {
      walk.warnings.push(rule === 'once' ? onceWarning([...path, name]) : readOnlyWarning([...path, name]));
    }
    if (stored?.[name] === undefined) delete result[name];
    else result[name] = stored[name];
  }
  return result;
}

/** On creation every map entry needs a value; in a patch null removes the entry. */
export function nullEntryIssues(rules: FieldRules, body: Fields, path: Path): Issue[] {
  return Object.keys(rules)
    .filter((field) => field.endsWith('.*'))
    .flatMap((field) => {
      const steps = field.slice(0, -2).split('.');
      const map = valueAt(body, steps);
      if (!isFields(map)) return [];
      return Object.keys(map)
        .filter((key) => map[key] === null)
        .map((key): Issue => ({
          path: [...path, ...steps, key],
          reason: 'required',
          message: 'An entry needs a text value when it is added; null only removes entries that exist.',
        }));
    });
}

/** What is wrong with the shape of a body that no schema has looked at: fields without a rule, lists that are none. */
export function unknownFieldIssues(rules: FieldRules, body: unknown, path: Path, parent = ''): Issue[] {
  if (!isFields(body)) return [{ path, reason: 'invalid', message: 'This must be an object with fields.' }];
  return Object.keys(body).flatMap((name): Issue[] => {
    const field = parent ? `${parent}.${name}` : name;
    const list = `${field}[]`;
    const value = body[name];
    const at = [...path, name];
    if (!childrenOf(rules, parent).includes(name)) return [{ path: at, reason: 'invalid', message: 'There is no such field.' }];
    const nested = rules[list] ? list : field;
    if (value === null || value === undefined || childrenOf(rules, nested).length === 0) return [];
    if (!rules[list]) return unknownFieldIssues(rules, value, at, field);
    if (!Array.isArray(value)) return [{ path: at, reason: 'invalid', message: 'This must be a list.' }];
    return value.flatMap((entry, index) => unknownFieldIssues(rules, entry, [...at, index], list));
  });
}

const childNames = new WeakMap<FieldRules, Map<string, string[]>>();

/** The names of the fields inside a field; those of the resource itself inside ''. */
function childrenOf(rules: FieldRules, field: string): string[] {
  let byParent = childNames.get(rules);
  if (!byParent) {
    byParent = new Map();
    for (const path of Object.keys(rules)) {
      if (path.endsWith('.*')) continue;
      const dot = path.lastIndexOf('.');
      const parent = path.slice(0, Math.max(0, dot));
      byParent.set(parent, [...(byParent.get(parent) ?? []), path.slice(dot + 1).replace('[]', '')]);
    }
    childNames.set(rules, byParent);
  }
  return byParent.get(field) ?? [];
}

const readOnlyWarning = (path: Path): Warning => ({
  path,
  reason: 'readOnly',
  message: `${String(path.at(-1))} is set by the server: the value that was sent was ignored.`,
});

const onceWarning = (path: Path): Warning => ({
  path,
  reason: 'ignored',
  message: `${String(path.at(-1))} can only be set when the entry is added: the value that was sent was ignored.`,
});

const immutableIssue = (path: Path): Issue => ({
  path,
  reason: 'immutable',
  message: `${String(path.at(-1))} cannot be changed after creation. Leave it out, or send the value it has.`,
});
