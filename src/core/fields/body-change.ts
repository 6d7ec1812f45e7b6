import { sameJson } from '../kernel/plain-data.ts';
import type { Issue, Path } from '../kernel/errors.ts';
import { patch, withoutNulls } from '../kernel/patch.ts';
import { valueAt } from '../kernel/path.ts';
import { Report } from '../kernel/report.ts';
import { changeTo, readOnlyMessage, type Changing } from './changes.ts';
import type { FieldNode } from './table.ts';
import { validate, type Validation } from './validate.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A body for a resource whose fields all have one storage, and may all be changed by whoever may change any. */
export interface BodyInput<T> {
  /** The name of the argument, with which paths begin. */
  readonly argument: string;
  readonly body: object;
  /** The resource as the caller sees it; empty for one that is made. */
  readonly seen: object;
  /** Its stored fields. */
  readonly before: T;
  readonly creating: boolean;
  readonly report: Report;
  /** Where the client sent an entry of a list of which some were left out. */
  readonly indexOf?: Validation['indexOf'];
}

export interface BodyChange<T> {
  /** The stored fields as they are to be; the very same object where nothing changes. */
  readonly next: T;
  /** Warns of values that the server sets, unless the resource shows the same. */
  readonly warnIgnored: (shown: object) => void;
}

/** Works out what a body changes, and validates that against the table. */
export function changeByBody<T extends object>(
  table: FieldNode,
  { argument, body, seen, before, creating, report, indexOf = asSent.indexOf }: BodyInput<T>,
): BodyChange<T> {
  const changing: Changing = { report, creating, changedFields: [], unapplied: [] };
  const change = changeTo(table, seen, body, [argument], changing);
  const next = change === undefined ? before : (patch<T>(before, change) ?? ({} as T));
  const [after, old] = [next, before] as [Fields, Fields];
  // What is stored beside the fields of the table is none of the body's.
  for (const [name, field] of table.fields)
    validate(field, after[name], old[name], [argument, name], { report, ...asSent, indexOf });
  return {
    next,
    warnIgnored(shown) {
      for (const { node, path, value } of changing.unapplied) {
        if (!sameJson(valueAt(shown, path.slice(1)) ?? undefined, withoutNulls(value)))
          report.warn(path, 'readOnly', readOnlyMessage(node));
      }
    },
  };
}

/** The issues of a body by itself. */
export function issuesOfBody(table: FieldNode, body: object = {}, path: Path): Issue[] {
  const report = new Report();
  validate(table, clientFields(table, body), undefined, path, { report, ...asSent });
  return report.issues;
}

/** What the server sets is ignored, whatever it is. */
const clientFields = (table: FieldNode, body: object): Fields =>
  withoutNulls(
    Object.fromEntries(
      Object.entries(body).filter(([name]) => table.fields.get(name)?.change !== 'readOnly'),
    ),
  );

/** Lists are validated as the client sent them. */
const asSent: Omit<Validation, 'report'> = {
  indexOf: (_list, index) => index,
  countOf: (_list, length) => length,
};
