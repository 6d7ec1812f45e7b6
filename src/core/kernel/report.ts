import type { Issue, Path, Reason, Warning, WarningReason } from './errors.ts';

/** Issues of one error beyond this number are dropped. */
export const maxIssues = 100;
const maxWarnings = 100;

/** Collects the issues, refusals and warnings of one input: at most 100 of each, and one more warning that says so. */
export class Report {
  /** Broken rules. */
  readonly issues: Issue[] = [];
  /** Changes that the caller may not make. */
  readonly refusals: Issue[] = [];
  /** Values that were accepted but not applied. */
  readonly warnings: Warning[] = [];
  /** Where the client sent what stands at a path, for an input that was put into another form first. */
  readonly pathOf: (path: Path) => Path;

  constructor(pathOf: (path: Path) => Path = (path) => path) {
    this.pathOf = pathOf;
  }

  issue(at: Path, reason: Reason, message: string, params?: Issue['params']): void {
    const path = this.pathOf(at);
    if (this.issues.length < maxIssues)
      this.issues.push(params ? { path, reason, message, params } : { path, reason, message });
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
}
