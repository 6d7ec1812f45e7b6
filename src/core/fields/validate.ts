import type { core } from 'zod/mini';
import type { Issue, Path, Reason } from '../errors.ts';
import { type Fields, isFields } from '../json.ts';
import type { Report } from '../report.ts';
import { countCharacters, isStorable, unstorableMessage } from '../text/characters.ts';
import type { FieldNode, RefinementParams } from './table.ts';

/** Reports nulls in the maps of a new resource: null removes an entry, but there are none yet. */
export function reportNullEntries(node: FieldNode, value: unknown, path: Path, report: Report): void {
  if (!isFields(value) || report.isFull()) return;
  for (const name of Object.keys(value)) {
    const field = node.fields.get(name);
    if (field) reportNullEntries(field, value[name], [...path, name], report);
    else if (node.kind === 'map' && value[name] === null) {
      report.addIssue([...path, name], 'required', 'An entry needs a string. Leave it out, or give it one.');
    }
  }
}

/** Report of a validation. Lists are those that the client sent, unless functions map to these. */
export interface Validation {
  readonly report: Report;
  /** Maps an index to the one that the client sent, for lists merged with hidden entries. */
  readonly indexOf?: ((list: string, index: number) => number) | undefined;
  /** Number of entries that the client sent in such a list. */
  readonly sentCountOf?: (list: string, length: number) => number;
}

/** Reports what is wrong with a new value at `path`, compared with the stored one. */
type ValidateNode = (
  node: FieldNode,
  newValue: unknown,
  oldValue: unknown,
  path: Path,
  validation: Validation,
) => void;

/** Validates only the changed parts, in proportional time: stored values stay valid under the stricter rules of a later release. */
export const validate: ValidateNode = (node, newValue, oldValue, path, validation) => {
  if (newValue === oldValue || newValue === undefined || validation.report.isFull()) return;
  if (node.kind === 'list') return validateList(node, newValue, oldValue, path, validation);
  if (node.kind === 'map') return validateMap(node, newValue, oldValue, path, validation);
  if (node.kind === 'object') return validateFields(node, newValue, oldValue, path, validation);
  validateValue(node.value, newValue, path, validation.report);
};

const validateFields: ValidateNode = (node, newValue, oldValue, path, validation) => {
  if (!isFields(newValue))
    return validation.report.addIssue(path, 'invalid', 'This must be an object with fields.');
  const oldFields = isFields(oldValue) ? oldValue : undefined;
  let hasUnknownField = false;
  for (const name of Object.keys(newValue)) {
    const field = node.fields.get(name);
    if (field) validate(field, newValue[name], oldFields?.[name], [...path, name], validation);
    else {
      hasUnknownField = true;
      validation.report.addIssue([...path, name], 'invalid', 'There is no such field.');
    }
    if (validation.report.isFull()) return;
  }
  // A missing field may be one that was misspelled, and was already reported.
  if (hasUnknownField) return;
  for (const [name, field] of node.fields) {
    const isMissing =
      field.isRequired && newValue[name] === undefined && (!oldFields || oldFields[name] !== undefined);
    if (!isMissing) continue;
    const message = `${name.charAt(0).toUpperCase()}${name.slice(1)} is required in every entry.`;
    validation.report.addIssue([...path, name], 'required', message);
  }
};

const validateList: ValidateNode = (node, newValue, oldValue, path, validation) => {
  const { report } = validation;
  const pathOf = (index: number): Path => [...path, validation.indexOf?.(node.name, index) ?? index];
  if (!Array.isArray(newValue)) return report.addIssue(path, 'invalid', 'This must be a list.');
  const oldEntries = Array.isArray(oldValue) ? (oldValue as readonly Fields[]) : [];
  const entryCount = validation.sentCountOf?.(node.name, newValue.length) ?? newValue.length;
  if (node.max && entryCount > Math.max(node.max.entries, oldEntries.length))
    return report.addIssue(path, ...tooManyEntriesArguments(node.max, entryCount));
  // Stored entries are not validated again, even at another index.
  const storedEntries = new Set<unknown>(oldEntries);
  const oldEntryByKey = new Map(oldEntries.map((entry) => [node.key?.(entry), entry]));
  for (const [index, entry] of (newValue as readonly unknown[]).entries()) {
    if (storedEntries.has(entry) || report.isFull()) continue;
    if (node.fields.size === 0) validateValue(node.value, entry, pathOf(index), report);
    else {
      const key = isFields(entry) ? node.key?.(entry) : undefined;
      const oldEntry = key === undefined ? undefined : oldEntryByKey.get(key);
      validateFields(node, entry, oldEntry, pathOf(index), validation);
    }
  }
};

const validateMap: ValidateNode = (node, newValue, oldValue, path, { report }) => {
  if (!isFields(newValue)) return report.addIssue(path, 'invalid', 'This must be an object of strings.');
  const oldMap = isFields(oldValue) ? oldValue : undefined;
  const names = Object.keys(newValue);
  if (node.max && names.length > Math.max(node.max.entries, oldMap ? Object.keys(oldMap).length : 0)) {
    return report.addIssue(path, ...tooManyEntriesArguments(node.max, names.length));
  }
  for (const name of names) {
    if (oldMap?.[name] === newValue[name]) continue;
    const entryPath = [...path, name];
    if (name === '__proto__') {
      report.addIssue(entryPath, 'invalid', '__proto__ cannot be the name of an entry.');
      continue;
    }
    if (!oldMap || !Object.hasOwn(oldMap, name))
      validateValue(node.entry?.entryName, name, entryPath, report);
    validateValue(node.entry?.value, newValue[name], entryPath, report);
    if (report.isFull()) return;
  }
};

/** Arguments of `Report.addIssue` for a list or map with too many entries. */
export const tooManyEntriesArguments = (
  { entries, label, reason, remedy = 'Leave some out.' }: NonNullable<FieldNode['max']>,
  actual: number,
): [Reason, string, Issue['params']] => [
  reason ?? 'tooMany',
  `At most ${entries} ${label} are allowed; these are ${actual}. ${remedy}`,
  { max: entries, actual },
];

/** Validates a single value: that it can be stored, and its schema. */
export function validateValue(schema: FieldNode['value'], value: unknown, path: Path, report: Report): void {
  if (typeof value === 'string' && !isStorable(value)) report.addIssue(path, 'invalid', unstorableMessage);
  const result = schema?.safeParse(value);
  if (!result || result.success) return;
  for (const issue of result.error.issues) reportZodIssue(issue, value, path, report);
}

/** Reports an issue of zod with the reason and the values of its refinement (`RefinementParams`). */
function reportZodIssue(issue: core.$ZodIssue, value: unknown, path: Path, report: Report): void {
  const issuePath = [...path, ...issue.path.filter((step) => typeof step !== 'symbol')];
  if (issue.code === 'invalid_value') {
    return report.addIssue(
      issuePath,
      'invalid',
      `This value is not allowed here. Allowed: ${issue.values.map(String).join(', ')}.`,
    );
  }
  if (issue.code === 'invalid_type') {
    return report.addIssue(issuePath, 'invalid', `This must be of type ${issue.expected}.`);
  }
  const {
    reason = 'invalid',
    params,
    max,
  } = ((issue.code === 'custom' ? issue.params : undefined) as RefinementParams & { max?: number }) ?? {};
  const messageParams = max === undefined ? params : { max, actual: countCharacters(value as string) };
  report.addIssue(issuePath, reason as Reason, issue.message, messageParams);
}
