import type { Warning } from '../../core/kernel/errors.ts';
import type { WriteReport } from '../../operations/operation.ts';
import { shortIssue } from './answer/bounds.ts';

/** A warning of an answer; `field` is the response key of the root field that it belongs to. */
export interface FieldWarning extends Warning {
  readonly field: string;
}

export interface NoteExtensions {
  readonly warnings?: readonly FieldWarning[];
  /** By response key of the root field, for those that told anybody. */
  readonly guestsNotified?: Readonly<Record<string, number>>;
}

/** What the root fields of one operation have to tell beside their values. */
export interface Notes {
  /** Adds what a root field tells; `field` is its response key. */
  add(field: string | number, report: WriteReport): void;
  /** The response's `extensions`; undefined when there is nothing to tell. */
  extensions(): NoteExtensions | undefined;
}

/** How many warnings one root field, and one answer, tell of; the last of a field then says how many were left out. */
const maxPerField = 120;
const maxBytes = 100_000;

export function createNotes(): Notes {
  const warnings: FieldWarning[] = [];
  const told: [string, number][] = [];
  let left = maxBytes;

  const warn = (field: string, found: readonly Warning[]): void => {
    let kept = 0;
    for (const warning of found.slice(0, maxPerField)) {
      const entry = { field, ...shortIssue(warning) };
      left -= Buffer.byteLength(JSON.stringify(entry));
      if (left < 0) break;
      warnings.push(entry);
      kept += 1;
    }
    const more = found.length - kept;
    if (more > 0) warnings.push({ field, path: [], reason: 'incomplete', message: `Warnings of this field that were left out: ${more}.` });
  };

  return {
    add(key, { warnings: found = [], guestsNotified = 0 }) {
      const field = String(key);
      warn(field, found);
      if (guestsNotified > 0) told.push([field, guestsNotified]);
    },
    extensions() {
      if (warnings.length === 0 && told.length === 0) return undefined;
      return {
        ...(warnings.length > 0 && { warnings }),
        ...(told.length > 0 && { guestsNotified: Object.fromEntries(told) }),
      };
    },
  };
}
