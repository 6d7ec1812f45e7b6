import type { core } from 'zod/mini';
import type { Issue, Path, Reason } from '../errors.ts';
import { type Fields, isFields } from '../patch.ts';
import type { Report } from '../report.ts';
import { charactersIn, isStorable, unstorableMessage } from '../text/characters.ts';
import type { FieldNode } from './table.ts';
import type { RefinementParams } from './values.ts';

/** Reports nulls in the maps of a new resource: null removes an entry, but there are none yet. */
export function reportNullEntries(node: FieldNode, value: unknown, path: Path, report: Report): void {
  if (!isFields(value) || report.isFull()) return;
  for (const name of Object.keys(value)) {
    const field = node.fields.get(name);
    if (field) reportNullEntries(field, value[name], [...path, name], report);
    else if (node.kind === 'map' && value[name] === null) {
      report.issue([...path, name], 'required', 'An entry needs a string. Leave it out, or give it one.');
    }
  }
}

export interface Validation {
  readonly report: Report;
  /** Maps an index to the one that the client sent, for lists merged with hidden entries. */
  readonly indexOf: (list: string, index: number) => number;
  /** Number of entries that the client sent in such a list. */
  readonly countOf: (list: string, length: number) => number;
}

type Validate = (
  node: FieldNode,
  after: unknown,
  before: unknown,
  path: Path,
  validation: Validation,
) => void;

/** Validates only the changed parts, in proportional time: stored values stay valid under the stricter rules of a later release. */
export const validate: Validate = (node, after, before, path, validation) => {
  if (after === before || after === undefined || validation.report.isFull()) return;
  if (node.kind === 'list') return validateList(node, after, before, path, validation);
  if (node.kind === 'map') return validateMap(node, after, before, path, validation);
  if (node.kind === 'object') return validateFields(node, after, before, path, validation);
  validateValue(node.value, after, path, validation.report);
};

const validateFields: Validate = (node, after, before, path, validation) => {
  if (!isFields(after))
    return validation.report.issue(path, 'invalid', 'This must be an object with fields.');
  const old = isFields(before) ? before : undefined;
  let hasUnknown = false;
  for (const name of Object.keys(after)) {
    const field = node.fields.get(name);
    if (field) validate(field, after[name], old?.[name], [...path, name], validation);
    else {
      hasUnknown = true;
      validation.report.issue([...path, name], 'invalid', 'There is no such field.');
    }
    if (validation.report.isFull()) return;
  }
  // A missing field may be one that was misspelled, and was already reported.
  if (hasUnknown) return;
  for (const [name, field] of node.fields) {
    const isMissing = field.needed && after[name] === undefined && (!old || old[name] !== undefined);
    if (isMissing)
      validation.report.issue([...path, name], 'required', `${capitalize(name)} is required in every entry.`);
  }
};

const validateList: Validate = (node, after, before, path, validation) => {
  const { report, indexOf, countOf } = validation;
  if (!Array.isArray(after)) return report.issue(path, 'invalid', 'This must be a list.');
  const old = Array.isArray(before) ? (before as readonly Fields[]) : [];
  const count = countOf(node.name, after.length);
  if (node.max && count > Math.max(node.max.entries, old.length))
    return report.issue(path, ...tooMany(node.max, count));
  if (node.fields.size === 0) {
    const storedEntries = new Set<unknown>(old);
    after.forEach(
      (entry, index) =>
        storedEntries.has(entry) ||
        validateValue(node.value, entry, [...path, indexOf(node.name, index)], report),
    );
    return;
  }
  const [unchanged, byKey] = [new Set<unknown>(old), new Map(old.map((entry) => [node.key?.(entry), entry]))];
  for (const [index, entry] of (after as readonly Fields[]).entries()) {
    if (unchanged.has(entry) || report.isFull()) continue;
    const key = isFields(entry) ? node.key?.(entry) : undefined;
    validateFields(
      node,
      entry,
      key === undefined ? undefined : byKey.get(key),
      [...path, indexOf(node.name, index)],
      validation,
    );
  }
};

const validateMap: Validate = (node, after, before, path, { report }) => {
  if (!isFields(after)) return report.issue(path, 'invalid', 'This must be an object of strings.');
  const old = isFields(before) ? before : undefined;
  const names = Object.keys(after);
  if (node.max && names.length > Math.max(node.max.entries, old ? Object.keys(old).length : 0)) {
    return report.issue(path, ...tooMany(node.max, names.length));
  }
  for (const name of names) {
    if (old?.[name] === after[name]) continue;
    const entryPath = [...path, name];
    if (name === '__proto__') {
      report.issue(entryPath, 'invalid', '__proto__ cannot be the name of an entry.');
      continue;
    }
    if (!old || !Object.hasOwn(old, name)) validateValue(node.entry?.entryName, name, entryPath, report);
    validateValue(node.entry?.value, after[name], entryPath, report);
    if (report.isFull()) return;
  }
};

export const tooMany = (
  { entries, called, reason, remedy = 'Leave some out.' }: NonNullable<FieldNode['max']>,
  actual: number,
): [Reason, string, Issue['params']] => [
  reason ?? 'tooMany',
  `At most ${entries} ${called} are allowed; these are ${actual}. ${remedy}`,
  { max: entries, actual },
];

export function validateValue(schema: FieldNode['value'], value: unknown, path: Path, report: Report): void {
  if (typeof value === 'string' && !isStorable(value)) report.issue(path, 'invalid', unstorableMessage);
  const result = schema?.safeParse(value);
  if (!result || result.success) return;
  for (const issue of result.error.issues) reportIssue(issue, value, path, report);
}

function reportIssue(issue: core.$ZodIssue, value: unknown, path: Path, report: Report): void {
  const issuePath = [...path, ...issue.path.filter((step) => typeof step !== 'symbol')];
  if (issue.code === 'invalid_value') {
    return report.issue(
      issuePath,
      'invalid',
      `This value is not allowed here. Allowed: ${issue.values.map(String).join(', ')}.`,
    );
  }
  if (issue.code === 'invalid_type') {
    return report.issue(issuePath, 'invalid', `This must be of type ${issue.expected}.`);
  }
  const {
    reason = 'invalid',
    params,
    max,
  } = ((issue.code === 'custom' ? issue.params : undefined) as RefinementParams & { max?: number }) ?? {};
  const messageParams = max === undefined ? params : { max, actual: charactersIn(value as string) };
  report.issue(issuePath, reason as Reason, issue.message, messageParams);
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
