import type { ChangeTarget, Found } from '../event.store.ts';
import type { EventRecord } from '../model/record.ts';

/** The records that a decision may replace: those that were found, and the series where the target divides it. */
export const replaceable = ({ event, series, guests }: Found, { divides }: ChangeTarget): EventRecord[] =>
  [event, ...(divides ? [series] : []), ...[...guests.values()].map(({ holder }) => holder)].filter(
    (record) => record !== undefined,
  );
