import type { GraphQLField } from 'graphql';
import type { Warning } from '../../core/kernel/errors.ts';
import type { WriteReport } from '../../operations/operation.ts';
import { shortIssue } from '../../operations/failure.ts';

/** A warning of an answer; `field` is the response key of the root field that it belongs to. */
export interface FieldWarning extends Warning {
  readonly field: string;
}

export interface NoteExtensions {
  readonly warnings?: readonly FieldWarning[];
  /** By response key, for root fields that notified guests. */
  readonly guestsNotified?: Readonly<Record<string, number>>;
}

/** Collects the reports of one operation's root fields: warnings and numbers of notified guests. */
export interface Notes {
  /** Adds the report of a root field; `field` is its response key. */
  add(field: string | number, report: WriteReport): void;
  /** Returns the value of `Mutation.report`: what was added so far. */
  report(): object;
  /** The response's `extensions`; undefined when there is nothing to report. */
  extensions(): NoteExtensions | undefined;
}

/** Upper bounds of the warnings of a root field, and of an answer in bytes; the last warning of a field says how many were dropped. */
const maxPerField = 120;
const maxBytes = 100_000;

export function createNotes(): Notes {
  const warnings: FieldWarning[] = [];
  const notified: [string, number][] = [];
  let left = maxBytes;

  const warn = (field: string, found: readonly Warning[]): void => {
    let added = 0;
    for (const warning of found.slice(0, maxPerField)) {
      const entry = { field, ...shortIssue(warning) };
      left -= Buffer.byteLength(JSON.stringify(entry));
      if (left < 0) break;
      warnings.push(entry);
      added += 1;
    }
    const more = found.length - added;
    if (more > 0)
      warnings.push({
        field,
        path: [],
        reason: 'incomplete',
        message: `Warnings of this field that were left out: ${more}.`,
      });
  };

  return {
    add(key, { warnings: found = [], guestsNotified = 0 }) {
      const field = String(key);
      warn(field, found);
      if (guestsNotified > 0) notified.push([field, guestsNotified]);
    },
    report: () => ({
      warnings: [...warnings],
      guestsNotified: notified.map(([field, count]) => ({ field, count })),
    }),
    extensions() {
      if (warnings.length === 0 && notified.length === 0) return undefined;
      return {
        ...(warnings.length > 0 && { warnings }),
        ...(notified.length > 0 && { guestsNotified: Object.fromEntries(notified) }),
      };
    },
  };
}

/** The root field that gives the report of the fields before it. */
export const reportField = 'Mutation.report';

/** Sets the resolver of `Mutation.report`, in place. Fields of a mutation run one after the other. */
export const serveReport = (field: GraphQLField<unknown, unknown>): void =>
  void (field.resolve = (_root, _args, context) => (context as { readonly notes: Notes }).notes.report());
