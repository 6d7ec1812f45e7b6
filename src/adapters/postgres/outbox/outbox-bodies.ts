import type { Statement } from '../database.ts';
import { otherTables } from './outbox-tables.ts';

interface Row {
  readonly id: string;
  readonly topic?: string;
  readonly data: string;
}

/** Where the body of a row is; `data` is empty where another row brings it. */
interface Placed {
  readonly data: string;
  /** The item that brings the body; absent where the row has it itself. */
  readonly body_id?: string;
}

/**
 * Has the bodies that items share stored once. Gateways of an earlier release, which know items with topics alone, do not look for
 * bodies elsewhere.
 */
export function withSharedBodies<T extends Row>(rows: readonly T[]): (T & Placed)[] {
  const first = new Map<string, T>();
  const shared = new Set<string>();
  for (const row of rows) {
    if (row.topic !== undefined) continue;
    if (first.has(row.data)) shared.add(row.data);
    else first.set(row.data, row);
  }
  return rows.map((row) => {
    const bringer = row.topic === undefined && shared.has(row.data) ? first.get(row.data) : undefined;
    return bringer ? { ...row, data: row === bringer ? row.data : '', body_id: bringer.id } : row;
  });
}

/** Items and their body are stored by one statement: a body without any is one whose items are all gone. */
export const dropUnusedBodies: Statement = {
  name: 'delete unused bodies',
  text: `DELETE FROM ${otherTables.bodies} b WHERE NOT EXISTS (SELECT FROM ${otherTables.items} o WHERE o.bucket = b.bucket AND o.body_id = b.id)`,
};
