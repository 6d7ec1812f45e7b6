import { randomUUID } from 'node:crypto';
import { sameJson } from '../../core/equal.ts';
import type { Attendee, EventBody } from '../model/fields.ts';
import { attendeeKey } from '../model/model.ts';
import { noStamp, type Answer, type EventCopy, type EventRecord, type InstancePart, type Stamp } from '../model/record.ts';
import { answerOf, composeInstance } from './compose.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What is to be stored of a changed instance: only what differs from its series, so that it goes on following the series
 * in everything else. `before` is the instance as it was put together, `next` the same after the change.
 */
export function exceptionOf(series: EventRecord, stored: EventRecord | undefined, before: EventRecord, next: EventRecord): EventRecord {
  const part = next.instance as InstancePart;
  const plain = composeInstance(series, part.original);
  const guests = guestsOf(plain.core.attendees, next.core.attendees, stored?.core.attendees !== undefined);
  const core = overlay(without(plain.core, 'attendees'), without(next.core, 'attendees'));
  const cleared: Record<string, readonly string[]> = core.cleared.length > 0 || guests.cleared ? { '': [...core.cleared, ...(guests.cleared ? ['attendees'] : [])] } : {};
  const copies: Record<string, EventCopy> = {};
  for (const [calendarId, copy] of Object.entries(next.copies)) {
    const [inherited, old] = [plain.copies[calendarId], stored?.copies[calendarId]];
    const own = overlay(inherited?.own ?? {}, copy.own);
    if (own.cleared.length > 0) cleared[calendarId] = own.cleared;
    const viewers = overlay(inherited?.viewers ?? {}, copy.viewers ?? {}).changed as EventCopy['viewers'];
    const { viewers: _viewers, ...rest } = copy;
    copies[calendarId] = {
      ...rest,
      // What only follows the series is not its own.
      state: inherited && inherited.state !== 'present' && copy.state === inherited.state ? (old?.state ?? 'present') : copy.state,
      own: own.changed,
      stamp: ownStamp(copy.stamp, before.copies[calendarId]?.stamp, old?.stamp),
      ...(viewers && Object.keys(viewers).length > 0 && { viewers }),
    };
  }
  return {
    key: stored?.key ?? randomUUID(),
    version: (stored?.version ?? 0) + 1,
    homeId: next.homeId,
    core: { ...(core.changed as EventBody), ...(guests.list && { attendees: guests.list }) },
    coreStamp: ownStamp(next.coreStamp, before.coreStamp, stored?.coreStamp),
    openStamp: ownStamp(next.openStamp, before.openStamp, stored?.openStamp),
    copies,
    instance: { ...part, cleared, answers: guests.answers },
  };
}

/** That of the series is added whenever the instance is put together: what did not change keeps its own, if it has one. */
const ownStamp = (after: Stamp, before: Stamp | undefined, own: Stamp | undefined): Stamp =>
  after.tag === before?.tag ? (own ?? noStamp) : after;

function without(core: EventBody, name: keyof EventBody): Fields {
  const { [name]: _left, ...rest } = core;
  return rest;
}

/** What makes one object of another: fields that differ, and names of those that are gone. */
function overlay(before: Fields, after: Fields): { readonly changed: Fields; readonly cleared: readonly string[] } {
  const changed = Object.fromEntries(Object.entries(after).filter(([name, value]) => !sameJson(value, before[name])));
  return { changed, cleared: Object.keys(before).filter((name) => after[name] === undefined) };
}

interface Guests {
  /** The guest list of the instance's own. */
  readonly list?: readonly Attendee[];
  readonly answers: Readonly<Record<string, Answer>>;
  /** The instance has no guests, though its series has. */
  readonly cleared: boolean;
}

/** As long as only answers differ from the series' list, the instance has no list of its own. */
function guestsOf(before: readonly Attendee[] | undefined, after: readonly Attendee[] | undefined, hadList: boolean): Guests {
  if (after === undefined) return { answers: {}, cleared: before !== undefined };
  const list = before ?? [];
  const answers: Record<string, Answer> = {};
  const sameGuests = !hadList && list.length === after.length && list.every((entry, index) => {
    const other = after[index] as Attendee;
    if (sameJson(entry, other)) return true;
    const key = attendeeKey(entry);
    if (key === undefined || !sameJson({ ...entry, ...emptyAnswer }, { ...other, ...emptyAnswer })) return false;
    answers[key] = answerOf(other);
    return true;
  });
  return sameGuests ? { answers, cleared: false } : { list: after, answers: {}, cleared: false };
}

const emptyAnswer = { responseStatus: null, comment: null, additionalGuests: null };
