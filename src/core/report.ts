import {
  type Issue,
  type Path,
  type Reason,
  startsWith,
  type Warning,
  type WarningReason,
} from './errors.ts';
import { sameJson } from './patch.ts';
import { isStorable, unstorableMessage } from './text/characters.ts';

/** Issues of one error beyond this number are dropped. */
export const maxIssues = 100;
const maxWarnings = 100;

/** Fields and arguments whose rules read another one, by name: with a coercion error in that one, their own issues are uncertain. */
const readBy: Readonly<Record<string, string>> = {
  originalStartTime: 'recurringEventId',
  iCalUID: 'recurringEventId',
  orderBy: 'singleEvents',
};
/** Fields that are compared with each other; for a patch that lacks one, with the stored one. */
const compared: readonly unknown[] = ['start', 'end'];

/**
 * Collects the issues, refusals and warnings of one input: at most 100 of each, and one more warning that says so. The
 * issues begin with the coercion errors; what these make uncertain is not reported beside them.
 */
export class Report {
  /** Broken rules. */
  readonly issues: Issue[];
  /** Changes that the caller may not make. */
  readonly refusals: Issue[] = [];
  /** Values that were accepted but not applied. */
  readonly warnings: Warning[] = [];
  /** Where the client sent what stands at a path, for an input that was put into another form first. */
  readonly pathOf: (path: Path) => Path;
  readonly #coercionErrors: readonly Issue[];

  constructor(coercionErrors: readonly Issue[] = [], pathOf: (path: Path) => Path = (path) => path) {
    this.issues = coercionErrors.slice(0, maxIssues);
    this.pathOf = pathOf;
    this.#coercionErrors = coercionErrors;
  }

  issue(at: Path, reason: Reason, message: string, params?: Issue['params']): void {
    if (this.isFull()) return;
    const path = this.pathOf(at);
    const issue = params ? { path, reason, message, params } : { path, reason, message };
    if (this.#coercionErrors.length === 0 || this.#isNews(issue)) this.issues.push(issue);
  }

  add(issues: readonly Issue[]): void {
    for (const { path, reason, message, params } of issues) this.issue(path, reason, message, params);
  }

  /**
   * Adds the issues of values beside coercion errors. `ofInput`: those of the input alone; `ofWrite`: those of what a write
   * would make of it, which count where they are known. Of values that are compared, one of which does not fit, a write would
   * have taken a stored one: these are compared in the input alone.
   */
  addRuleIssues(ofInput: readonly Issue[], ofWrite?: readonly Issue[]): void {
    const areCompared = ({ reason }: Issue): boolean =>
      reason === 'timeRangeEmpty' && this.#coercionErrors.some(({ path }) => compared.includes(path[1]));
    this.add(ofWrite?.filter((issue) => !areCompared(issue)) ?? ofInput);
    if (ofWrite) this.add(ofInput.filter(areCompared));
  }

  refuse(path: Path, reason: Reason, message: string): void {
    if (this.refusals.length < maxIssues) this.refusals.push({ path: this.pathOf(path), reason, message });
  }

  warn(at: Path, reason: WarningReason, message: string, params?: Issue['params']): void {
    const { length } = this.warnings;
    const path = this.pathOf(at);
    if (length < maxWarnings) this.warnings.push({ path, reason, message, ...(params && { params }) });
    else if (length === maxWarnings) {
      this.warnings.push({
        path: path.slice(0, 1),
        reason: 'incomplete',
        message: 'There are more values that were ignored.',
      });
    }
  }

  /** True when further issues would be dropped, so that validation can stop. */
  isFull(): boolean {
    return this.issues.length >= maxIssues;
  }

  /** False for an issue that is known, or may be there only because of a coercion error. */
  #isNews(issue: Issue): boolean {
    const { path: at, reason } = issue;
    const name = at.at(-1) as string;
    const concerns = ({ path }: Issue): boolean =>
      startsWith(at, path) ||
      // A field that only the error left missing.
      (reason === 'required' && at.length > 1 && startsWith(path, at)) ||
      (reason === 'invalid' &&
        at.length <= 2 &&
        Object.hasOwn(readBy, name) &&
        path[at.length - 1] === readBy[name]);
    return !this.#coercionErrors.some(concerns) && !this.issues.some((known) => sameJson(known, issue));
  }
}

/** Reports texts that cannot be stored, in values and in keys, up to 100 issues. */
export function textIssues(value: unknown, path: Path): Issue[] {
  const issues: Issue[] = [];
  collectTextIssues(value, [...path], issues);
  return issues;
}

/** `path` leads to the value, and is the same again afterwards. */
function collectTextIssues(value: unknown, path: (string | number)[], issues: Issue[]): void {
  if (typeof value === 'string' && !isStorable(value)) issues.push(textIssue(path));
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    if (issues.length >= maxIssues) return;
    path.push(Array.isArray(value) ? Number(key) : key);
    if (!Array.isArray(value) && !isStorable(key)) issues.push(textIssue(path));
    else collectTextIssues((value as Record<string, unknown>)[key], path, issues);
    path.pop();
  }
}

const textIssue = (path: Path): Issue => ({ path: [...path], reason: 'invalid', message: unstorableMessage });
