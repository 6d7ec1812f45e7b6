import type { EventRecord } from '../../../event/model/record.ts';
import type { Statement } from '../database.ts';
import { grouped } from '../../../core/kernel/grouped.ts';
import { markedRecord } from './known-records.ts';

/** A record that is new where it comes. */
export interface NewEvent {
  readonly home: string;
  readonly record: EventRecord;
  readonly seriesKey: string | null;
  /** How often the exceptions of a series had changed where it comes from. */
  readonly exceptionRevision?: number;
}

const columns = 'home_id, key, version, family, series_key, body';
const valuesOf = ({ home, record, seriesKey, exceptionRevision = 0 }: NewEvent): unknown[] => [
  home,
  record.key,
  record.version,
  exceptionRevision,
  seriesKey,
  markedRecord(record),
];

const oneText = `INSERT INTO events (${columns}) VALUES ($1, $2, $3, $4, $5, $6)`;
export const insertEvent = (added: NewEvent): Statement => ({
  name: 'insert event',
  text: oneText,
  values: valuesOf(added),
});

/** A statement has so many rows at most: its text grows with them. */
const mostRows = 200;

/** Inserts records of any homes: a statement is about one home, which it has to name itself. */
export function insertEvents(added: readonly NewEvent[]): Statement[] {
  if (added.length <= 1) return added.map(insertEvent);
  const rows = added.map(valuesOf);
  return [...grouped(rows, ([home]) => home as string).values()].flatMap((own) =>
    chunks(own, mostRows).map(insertRows),
  );
}

function insertRows(rows: readonly (readonly unknown[])[]): Statement {
  const [[home] = []] = rows;
  const others = rows.flatMap((row) => row.slice(1));
  const texts = rows.map(
    (_row, index) => `($1, ${[2, 3, 4, 5, 6].map((column) => `$${index * 5 + column}`).join(', ')})`,
  );
  return {
    title: 'insert events',
    text: `INSERT INTO events (${columns}) VALUES ${texts.join(', ')}`,
    values: [home, ...others],
  };
}

const chunks = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
