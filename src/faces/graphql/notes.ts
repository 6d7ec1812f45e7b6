import type { GraphQLField } from 'graphql';
import type { Warning } from '../../core/errors.ts';
import type { WriteReport } from '../../operations/operation.ts';
import { shortIssue } from '../../operations/failure.ts';

/** A warning of an answer; `field` is the response key of the root field that it belongs to. */
interface FieldWarning extends Warning {
  readonly field: string;
}

interface NoteExtensions {
  readonly warnings?: readonly FieldWarning[];
  /** By response key, for root fields that notified guests. */
  readonly guestsNotified?: Readonly<Record<string, number>>;
}

/** Upper bounds of the warnings of a root field, and of an answer in bytes; the last warning of a field says how many were dropped. */
const maxPerField = 120;
const maxBytes = 100_000;

/** Collects the reports of one operation's root fields: warnings and numbers of notified guests. */
export class Notes {
  readonly #warnings: FieldWarning[] = [];
  readonly #notified = new Map<string, number>();
  #bytesLeft = maxBytes;

  /** Adds the report of a root field; `key` is its response key. */
  add(key: string | number, { warnings = [], guestsNotified = 0 }: WriteReport): void {
    const field = String(key);
    if (guestsNotified > 0) this.#notified.set(field, guestsNotified);
    let added = 0;
    for (const warning of warnings.slice(0, maxPerField)) {
      const entry = { field, ...shortIssue(warning) };
      this.#bytesLeft -= Buffer.byteLength(JSON.stringify(entry));
      if (this.#bytesLeft < 0) break;
      this.#warnings.push(entry);
      added += 1;
    }
    const message = `Warnings of this field that were left out: ${warnings.length - added}.`;
    if (added < warnings.length) this.#warnings.push({ field, path: [], reason: 'incomplete', message });
  }

  /** Returns the value of `Mutation.report`: what was added so far. */
  report(): object {
    const guestsNotified = [...this.#notified].map(([field, count]) => ({ field, count }));
    return { warnings: [...this.#warnings], guestsNotified };
  }

  /** The response's `extensions`; undefined when there is nothing to report. */
  extensions(): NoteExtensions | undefined {
    if (this.#warnings.length === 0 && this.#notified.size === 0) return undefined;
    return {
      ...(this.#warnings.length > 0 && { warnings: this.#warnings }),
      ...(this.#notified.size > 0 && { guestsNotified: Object.fromEntries(this.#notified) }),
    };
  }
}

/** The root field that gives the report of the fields before it. */
export const reportField = 'Mutation.report';

/** Sets the resolver of `Mutation.report`, in place. Fields of a mutation run one after the other. */
export const serveReport = (field: GraphQLField<unknown, unknown>): void =>
  void (field.resolve = (_root, _args, context) => (context as { readonly notes: Notes }).notes.report());
