import { randomUUID } from 'node:crypto';
import { sameJson } from '../../core/kernel/equal.ts';
import { isFields } from '../../core/kernel/patch.ts';
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
  const { series: place, original } = next.instance as InstancePart;
  const plain = composeInstance(series, original);
  const guests = guestsOf(plain.core.attendees, next.core.attendees, stored?.core.attendees !== undefined);
  const copies: Record<string, EventCopy> = {};
  for (const [calendarId, copy] of Object.entries(next.copies)) {
    const [inherited, old] = [plain.copies[calendarId], stored?.copies[calendarId]];
    const { viewers, ...rest } = copy;
    const own = Object.fromEntries(Object.entries(viewers ?? {}).filter(([identity, part]) => !sameJson(part, inherited?.viewers?.[identity])));
    copies[calendarId] = {
      ...rest,
      // What only follows the series is not its own.
      state: inherited && inherited.state !== 'present' && copy.state === inherited.state ? (old?.state ?? 'present') : copy.state,
      own: difference(inherited?.own ?? {}, copy.own),
      stamp: ownStamp(copy.stamp, before.copies[calendarId]?.stamp, old?.stamp),
      ...(Object.keys(own).length > 0 && { viewers: own }),
    };
  }
  return {
    key: stored?.key ?? randomUUID(),
    version: (stored?.version ?? 0) + 1,
    homeId: next.homeId,
    core: { ...(difference(without(plain.core, 'attendees'), without(next.core, 'attendees')) as EventBody), ...guests.core },
    coreStamp: ownStamp(next.coreStamp, before.coreStamp, stored?.coreStamp),
    openStamp: ownStamp(next.openStamp, before.openStamp, stored?.openStamp),
    copies,
    instance: { series: place, original, answers: guests.answers },
  };
}

/** That of the series is added whenever the instance is put together: what did not change keeps its own, if it has one. */
const ownStamp = (after: Stamp, before: Stamp | undefined, own: Stamp | undefined): Stamp =>
  after.tag === before?.tag ? (own ?? noStamp) : after;

function without(core: EventBody, name: keyof EventBody): Fields {
  const { [name]: _left, ...rest } = core;
  return rest;
}

/** The JSON merge patch (RFC 7396) that makes one object of another. */
function difference(before: Fields, after: Fields): Fields {
  const result: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, value] = [before[name], after[name]];
    if (value === undefined) result[name] = null;
    else if (isFields(value) && isFields(old)) {
      const inner = difference(old, value);
      if (Object.keys(inner).length > 0) result[name] = inner;
    } else if (!sameJson(old, value)) result[name] = value;
  }
  return result;
}

interface Guests {
  /** The guest list of the instance's own; null where it has none, though its series has. */
  readonly core: Fields;
  readonly answers: Readonly<Record<string, Answer>>;
}

/** As long as only answers differ from the series' list, the instance has no list of its own. */
function guestsOf(before: readonly Attendee[] | undefined, after: readonly Attendee[] | undefined, hadList: boolean): Guests {
  if (after === undefined) return { answers: {}, core: before === undefined ? {} : { attendees: null } };
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
  return sameGuests ? { answers, core: {} } : { core: { attendees: after }, answers: {} };
}

const emptyAnswer = { responseStatus: null, comment: null, additionalGuests: null };
