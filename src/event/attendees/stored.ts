import type { FieldNode } from '../../core/fields/table.ts';
import { withoutNulls } from '../../core/kernel/patch.ts';
import type { Attendee } from '../model/fields.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Guests as they are stored: without defaults, and without what is worked out for each calendar. */
export function storedGuests(list: readonly Entry[], fields: Iterable<FieldNode>): Attendee[] {
  const nodes = [...fields];
  return list.map((entry) => {
    const result: Record<string, unknown> = { ...entry };
    for (const { name, storedIn, default: standard } of nodes) {
      if (storedIn === 'computed' || result[name] === standard) delete result[name];
    }
    return withoutNulls(result);
  });
}
