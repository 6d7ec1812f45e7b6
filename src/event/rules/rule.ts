import type { Path, Reason, Issue } from '../../core/errors.ts';
import type { EventBody, EventField } from '../model/fields.ts';

export interface RuleContext {
  /** The calendar's time zone. */
  readonly zone: string;
  /**
   * - patch: some fields of a stored event changed.
   * - instance: an insert that changes them of an occurrence.
   * - insert, import: a new event.
   * - part: a body that does not fit the schema, of which only what is there can be validated.
   */
  readonly mode: 'patch' | 'instance' | 'insert' | 'import' | 'part';
  /** Whether the table refused this value by itself, or, of a list, for its length: it is not validated any further. */
  readonly isRefused: (path: Path) => boolean;
  /** Reports a broken rule; the path starts at the event's own field. */
  readonly issue: (path: Path, reason: Reason, message: string, params?: Issue['params']) => void;
  /** The index at which the client sent an entry of a list. */
  readonly indexOf: (list: string, index: number) => number;
}

/** A rule over several fields. It is checked when a change affects one of its fields. */
export interface EventRule {
  /** What it promises, for `docs/event-rules.md`. */
  readonly title: string;
  readonly on: readonly EventField[];
  check(event: EventBody, before: EventBody, context: RuleContext): void;
}
