import type { Issue, Warning } from '../../core/kernel/errors.ts';

/** What became of an entry of a file. */
export interface ImportOutcome {
  readonly state: 'added' | 'changed' | 'unchanged' | 'refused';
  /** Why it was refused: with paths from the entry on. */
  readonly issues: readonly Issue[];
  /** Warnings of values that were taken, but not as they stand in the file. */
  readonly warnings?: readonly Warning[];
}

export interface ImportOptions {
  /** An event that is there already is replaced; else the entry is refused. */
  readonly replaces?: boolean;
  /** The calendars that the file has: what exported events do not say of these is not so. */
  readonly calendars?: ReadonlySet<string>;
}

export const refused = (issues: readonly Issue[]): ImportOutcome => ({ state: 'refused', issues });

export const duplicate: Issue = {
  path: ['id'],
  reason: 'duplicate',
  message: 'The calendar has an event with this id.',
};
