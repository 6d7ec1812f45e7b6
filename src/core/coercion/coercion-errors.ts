import type { Issue, Warning } from '../kernel/errors.ts';
import { maxIssues } from '../kernel/report.ts';

/** What a value that does not fit its type is coerced to. */
export const coercionError = Symbol('coercionError');

/** The coerced value, or `coercionError` with an issue in `errors`. */
export type Coerce = (value: unknown, errors: CoercionErrors) => unknown;

/** The end of a message on an unknown name: a blank and a suggestion, or nothing. */
export type Suggest = (name: string, known: readonly string[]) => string;

/** Collects coercion errors, 100 by default, each with the path of its value. */
export class CoercionErrors {
  readonly issues: Issue[] = [];
  /** Warnings about dropped fields. */
  readonly warnings: Warning[] = [];
  readonly suggest: Suggest;
  readonly #max: number;
  readonly #path: (string | number)[] = [];

  constructor(max = maxIssues, suggest: Suggest = () => '') {
    this.#max = max;
    this.suggest = suggest;
  }

  isFull(): boolean {
    return this.issues.length >= this.#max;
  }

  /** Coerces what lies at a field or an index of the current value. */
  at(step: string | number, coerce: Coerce, value: unknown): unknown {
    this.#path.push(step);
    const coerced = coerce(value, this);
    this.#path.pop();
    return coerced;
  }

  /** Adds an issue of the current value. */
  add(reason: Issue['reason'], message: string, params?: Issue['params']): typeof coercionError {
    return this.#add([...this.#path], reason, message, params);
  }

  /** Adds an issue of a field of the current value. */
  addAt(field: string, reason: Issue['reason'], message: string): typeof coercionError {
    return this.#add([...this.#path, field], reason, message);
  }

  /** Warns of a field of the current value. */
  warnOf(field: string, warning: Omit<Warning, 'path'>): void {
    this.warnings.push({ ...warning, path: [...this.#path, field] });
  }

  #add(
    path: Issue['path'],
    reason: Issue['reason'],
    message: string,
    params?: Issue['params'],
  ): typeof coercionError {
    if (!this.isFull()) this.issues.push({ path, reason, message, ...(params && { params }) });
    return coercionError;
  }
}
