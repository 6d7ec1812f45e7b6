import { tables } from './0001-tables.ts';
import { byOriginal } from './0002-exceptions-by-original.ts';
import { orderAndBounds } from './0003-order-and-bounds.ts';
import { byAudience, byteByByte } from './0004-visibility-and-addresses.ts';
import { deliveries } from './0005-deliveries.ts';
import { narrowReads } from './0006-narrow-reads.ts';
import { changingBuckets } from './0007-buckets.ts';
import { changingCalendars } from './0008-calendars.ts';
import { destinationStates } from './0009-destinations.ts';
import { mails } from './0010-mails.ts';
import { entryVersions } from './0011-entry-versions.ts';
import { oneOutbox } from './0012-one-outbox.ts';

/** One step from an empty database to today's tables. */
export interface MigrationStep {
  /** Begins with its number. */
  readonly name: string;
  /** The oldest gateway, by the number of the last step that it knows, which works rightly on the tables after this step. */
  readonly fitsFrom: number;
  readonly statements: readonly string[];
}

/**
 * In their order. A step that was released is never changed: what is to be different is one more step. A step only adds;
 * what it makes superfluous is taken away by a step of a later release, so that gateways of two neighbouring releases work
 * on one database.
 */
export const steps: readonly MigrationStep[] = [
  { name: '0001 calendars, events, buckets, messages', fitsFrom: 1, statements: tables },
  { name: '0002 exceptions by their original start', fitsFrom: 1, statements: byOriginal },
  {
    name: '0003 message log in order, digests of long identifiers, bounds',
    fitsFrom: 3,
    statements: orderAndBounds,
  },
  {
    name: '0004 changes by whom they show to, addresses byte by byte',
    fitsFrom: 4,
    statements: [...byAudience, ...byteByByte],
  },
  { name: '0005 deliveries by destination', fitsFrom: 4, statements: deliveries },
  { name: '0006 narrow reads', fitsFrom: 4, statements: narrowReads },
  { name: '0007 buckets that are made, changed and deleted', fitsFrom: 4, statements: changingBuckets },
  { name: '0008 calendars that change', fitsFrom: 4, statements: changingCalendars },
  { name: '0009 states of destinations', fitsFrom: 4, statements: destinationStates },
  { name: '0010 mails', fitsFrom: 4, statements: mails },
  { name: '0011 versions in entries', fitsFrom: 4, statements: entryVersions },
  { name: '0012 one outbox', fitsFrom: 12, statements: oneOutbox },
];
