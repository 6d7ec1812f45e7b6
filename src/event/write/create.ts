import { randomUUID } from 'node:crypto';
import type { Viewer } from '../../access/permissions.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { isEmail } from '../../core/text/email.ts';
import { replicasFor, type GuestReferences } from '../attendees/replicas.ts';
import type { CalendarRecord } from '../../calendar/calendar.ts';
import type { EventBody } from '../model/fields.ts';
import { noStamp, type EventParts, type EventRecord, type Stamp } from '../model/record.ts';
import type { Draft } from '../draft/draft.ts';
import { checkIdentity } from './identity.ts';
import { settle } from './patch.ts';
import { nextStamp } from './stamp.ts';

/** What there is of an event before its body is read: who made it, on which calendar, and its id. */
export function blankRecord(id: string, calendar: CalendarRecord, viewer: Viewer): EventRecord {
  const creator = isEmail(viewer.identity) ? { email: viewer.identity } : { id: viewer.identity };
  return {
    key: randomUUID(),
    version: 0,
    homeId: calendar.id,
    core: { creator, organizer: { email: calendar.owner } },
    coreStamp: noStamp,
    openStamp: noStamp,
    copies: { [calendar.id]: { id, state: 'present', stamp: noStamp, own: {} } },
  };
}

interface CreateFacts {
  readonly clock: Clock;
  readonly references: GuestReferences;
  /** The host of iCalUIDs that the server makes. */
  readonly uidHost: string;
}

/** The new event that a draft describes; throws AppError with everything that is wrong with it. Stores nothing. */
export function createRecord(draft: Draft, { clock, references, uidHost }: CreateFacts): EventRecord {
  const {
    at: { record, copy, identity },
  } = draft;
  checkIdentity(draft);
  settle(draft);
  const stamp = nextStamp(clock);
  const { core, viewer, copy: own } = draft.after;
  const event: EventBody = {
    ...core,
    ...record.core,
    created: stamp.at,
    iCalUID: core.iCalUID ?? `${copy.id}@${uidHost}`,
  };
  return newRecord(record, { core: event, copy: own, viewer }, { stamp, references, identity });
}

/** A first version of an event, with the copies of those guests who have a calendar here. */
export function newRecord(
  blank: EventRecord,
  { core, copy: own, viewer }: EventParts,
  { stamp, references, identity }: { stamp: Stamp; references: GuestReferences; identity: string },
): EventRecord {
  const copy = blank.copies[blank.homeId];
  const viewers = Object.keys(viewer).length > 0 && { viewers: { [identity]: { stamp, own: viewer } } };
  const record: EventRecord = {
    ...blank,
    version: 1,
    core,
    coreStamp: stamp,
    openStamp: stamp,
    copies: { [blank.homeId]: { id: copy?.id ?? '', state: 'present', stamp, own, ...viewers } },
  };
  return { ...record, copies: replicasFor(record, core, references, stamp) };
}
