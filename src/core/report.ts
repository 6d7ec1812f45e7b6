import {
  type Issue,
  type Path,
  type Reason,
  pathStartsWith,
  type Warning,
  type WarningReason,
} from './errors.ts';
import { isSameJson } from './json.ts';
import { isStorable, unstorableMessage } from './text/characters.ts';

/** Maximum number of issues of one error; further ones are dropped. */
export const maxIssues = 100;
/** Maximum number of warnings, before the final one about dropped ones. */
const maxWarnings = 100;

/** Maps a field to a field that its rule reads. A coercion error in the latter makes issues of the former uncertain. */
const ruleInputByField: Readonly<Record<string, string>> = {
  originalStartTime: 'recurringEventId',
  iCalUID: 'recurringEventId',
  orderBy: 'singleEvents',
};
/** Fields compared with each other. If a patch lacks one, the stored value is used. */
const comparedFields: readonly unknown[] = ['start', 'end'];

/**
 * Collects the issues, refusals and warnings of one input: at most 100 of each, and a final warning about dropped ones.
 * Coercion errors come first. Issues that may only exist because of them are suppressed.
 */
export class Report {
  readonly issues: Issue[];
  /** Changes that the caller may not make. */
  readonly refusals: Issue[] = [];
  /** Values that were accepted but not applied. */
  readonly warnings: Warning[] = [];
  /** Maps a path to the path that the client sent, for an input that was transformed first. */
  readonly pathOf: (path: Path) => Path;
  readonly #coercionErrors: readonly Issue[];

  constructor(coercionErrors: readonly Issue[] = [], pathOf: (path: Path) => Path = (path) => path) {
    this.issues = coercionErrors.slice(0, maxIssues);
    this.pathOf = pathOf;
    this.#coercionErrors = coercionErrors;
  }

  /** Adds an issue at a path of the input, unless a coercion error may have caused it. */
  addIssue(inputPath: Path, reason: Reason, message: string, params?: Issue['params']): void {
    if (this.isFull()) return;
    const path = this.pathOf(inputPath);
    const issue = params ? { path, reason, message, params } : { path, reason, message };
    if (this.#coercionErrors.length === 0 || this.#isNew(issue)) this.issues.push(issue);
  }

  addIssues(issues: readonly Issue[]): void {
    for (const { path, reason, message, params } of issues) this.addIssue(path, reason, message, params);
  }

  /** Adds the issues and warnings of another report, whose paths are those of the client. */
  addReport({ issues, warnings }: Report): void {
    this.addIssues(issues);
    for (const { path, reason, message, params } of warnings) this.warn(path, reason, message, params);
  }

  /**
   * Adds issues of an input with coercion errors. `inputIssues`: issues of the input alone. `writeIssues`: issues of a trial write,
   * preferred if known. Exception: if a compared field has a coercion error, the trial write compared a stored value
   * instead, so the comparison of the input counts.
   */
  addRuleIssues(inputIssues: readonly Issue[], writeIssues?: readonly Issue[]): void {
    const isComparison = ({ reason }: Issue): boolean =>
      reason === 'timeRangeEmpty' &&
      this.#coercionErrors.some(({ path }) => comparedFields.includes(path[1]));
    this.addIssues(writeIssues?.filter((issue) => !isComparison(issue)) ?? inputIssues);
    if (writeIssues) this.addIssues(inputIssues.filter(isComparison));
  }

  /** Notes a change that the caller may not make. */
  refuse(path: Path, reason: Reason, message: string): void {
    if (this.refusals.length < maxIssues) this.refusals.push({ path: this.pathOf(path), reason, message });
  }

  /** Notes a value that was accepted but not applied. */
  warn(inputPath: Path, reason: WarningReason, message: string, params?: Issue['params']): void {
    const { warnings } = this;
    const path = this.pathOf(inputPath);
    if (warnings.length < maxWarnings) warnings.push({ path, reason, message, ...(params && { params }) });
    else if (warnings.length === maxWarnings)
      warnings.push({ path: path.slice(0, 1), reason: 'incomplete', message: 'More values were ignored.' });
  }

  /** True when further issues would be dropped: validation can stop. */
  isFull(): boolean {
    return this.issues.length >= maxIssues;
  }

  /** False for a duplicate issue, or one that a coercion error may have caused. */
  #isNew(issue: Issue): boolean {
    const { path: issuePath, reason } = issue;
    const name = issuePath.at(-1) as string;
    const mayCause = ({ path }: Issue): boolean =>
      pathStartsWith(issuePath, path) ||
      // The coercion error itself left the field missing.
      (reason === 'required' && issuePath.length > 1 && pathStartsWith(path, issuePath)) ||
      (reason === 'invalid' &&
        issuePath.length <= 2 &&
        Object.hasOwn(ruleInputByField, name) &&
        path[issuePath.length - 1] === ruleInputByField[name]);
    return (
      !this.#coercionErrors.some(mayCause) && !this.issues.some((existing) => isSameJson(existing, issue))
    );
  }
}

/** Reports texts that cannot be stored, in values and in keys. */
export function reportUnstorableTexts(value: unknown, path: Path, report: Report): void {
  if (typeof value === 'string' && !isStorable(value)) report.addIssue(path, 'invalid', unstorableMessage);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value)) {
    if (report.isFull()) return;
    const entryPath = [...path, Array.isArray(value) ? Number(key) : key];
    if (isStorable(key)) reportUnstorableTexts(entry, entryPath, report);
    else report.addIssue(entryPath, 'invalid', unstorableMessage);
  }
}
