import type { Path, Reason, Issue } from '../../core/errors.ts';
import type { EventBody, EventField } from '../model/fields.ts';

/** Settings of a check, and the functions that rules call. */
export interface RuleContext {
  /** Time zone of the calendar, as an example in messages; may be empty. */
  readonly zone: string;
  /** Kind of write: `instance` inserts an exception; `part` validates only the fields that an invalid body has, and requires no others. */
  readonly mode: 'patch' | 'instance' | 'insert' | 'import' | 'part';
  /** Whether the table of fields refused this value, or a list for its length, so that rules skip it. */
  readonly isRefused: (path: Path) => boolean;
  /** Reports a broken rule; the path starts at the event's own field. */
  readonly reportIssue: (path: Path, reason: Reason, message: string, params?: Issue['params']) => void;
  /** Index at which the client sent an entry of a list. */
  readonly sentIndexOf: (list: string, index: number) => number;
}

/** Rule over several fields. It is checked when a change affects one of them. */
export interface EventRule {
  /** Guarantee of the rule, for `docs/event-rules.md`. */
  readonly title: string;
  /** Fields whose change triggers the rule. */
  readonly triggers: readonly EventField[];
  check(event: EventBody, before: EventBody, context: RuleContext): void;
}
