import { isCaller } from '../../access/permissions.ts';
import { sameJson } from '../../core/patch.ts';
import type { Warning } from '../../core/errors.ts';
import { addressKey } from '../../core/text/email.ts';
import type { GuestNotice } from '../event.store.ts';
import type { Mail, MailReason } from '../../mail/mail.ts';
import type { NotifyArgs, SendUpdates } from '../event.requests.ts';
import { type Attendee, attendeeKey, type EventBody } from '../model/fields.ts';
import { type EventRecord, homeReference } from '../model/record.ts';
import { seesGuests, type EventContext } from '../visibility/event-context.ts';

/** What the request asks for: sendUpdates, else the deprecated flag. */
export function updatesAsked(args: NotifyArgs): SendUpdates {
  return args.sendUpdates ?? (args.sendNotifications ? 'all' : 'none');
}

/** A change that was stored, as somebody made it. */
export interface EventChange {
  /** As it is after the change. */
  readonly context: EventContext;
  /** Nothing, where the event is new. */
  readonly before: EventBody;
  readonly beforeCopy: EventRecord['copies'][string] | undefined;
  /** The names of the fields that all copies show and that differ, sorted. */
  readonly changed: readonly (keyof EventBody)[];
  /** Guests whom the request added, resources aside, as far as the caller knows: by `addressKey`. */
  readonly added: () => readonly string[];
  /** The caller invited somebody who was on the list unseen: that must look like any invitation. */
  readonly invites: boolean;
}

/** Somebody who is told of a change. */
interface Receiver {
  /** As it is spelled now: the part before the @ may be case-sensitive. */
  readonly email: string;
  readonly reason: MailReason;
}

/** By `addressKey`. */
export type Receivers = ReadonlyMap<string, Receiver>;

/** What becomes of a change beside what is stored of the event. */
export interface Notices {
  /** Absent where nobody is notified. */
  readonly notice?: GuestNotice;
  /** The number of those who are told, as far as the caller may know of them. */
  readonly counted: number;
  readonly mails: readonly Mail[];
  /** Why somebody is not told. */
  readonly warnings: readonly Warning[];
}

export const nobody: Notices = { counted: 0, mails: [], warnings: [] };

/** The guests whom a change affects, and those of them who are notified. */
interface Recipients {
  readonly affected: Receivers;
  readonly told: Receivers;
}

/**
 * Whom to tell: the guests before and after a change that all copies show, each once; neither the calendar's owner nor the
 * caller, who made it, and not resources, which read no mail. An answer alone is the organizer's to know. `externalOnly`
 * leaves out those who have a calendar here. A private copy is nobody else's business.
 */
export function recipientsOf(
  asked: SendUpdates,
  change: EventChange,
  ownerOf: (calendarId: string) => string | undefined,
): Recipients {
  const { context } = change;
  const { core } = context.record;
  const answered = isAnswer(change);
  if (core.privateCopy || !(answered || change.invites || change.changed.length > 0)) return noOne;
  const affected = answered ? organizerOf(context) : guestsOf(change);
  for (const key of [context.owner, context.identity]) affected.delete(key);
  // An answer reaches the organizer for all values of sendUpdates but none.
  if (asked !== 'externalOnly' || answered) return { affected, told: affected };
  const told = new Map(affected);
  for (const key of hostedBy(context.record, ownerOf)) told.delete(key);
  return { affected, told };
}

const noOne: Recipients = { affected: new Map(), told: new Map() };

/** The notice of a change for some receivers. */
export function noticeOf(
  { context: { record }, before, changed }: EventChange,
  told: Receivers,
): GuestNotice | undefined {
  const [first] = told.values();
  if (!first) return undefined;
  const { core } = record;
  const isCancelled = core.status === 'cancelled';
  const answered = first.reason === 'answered';
  return {
    ...homeReference(record),
    iCalUID: core.iCalUID ?? '',
    sequence: core.sequence ?? 0,
    method: answered ? 'REPLY' : isCancelled ? 'CANCEL' : 'REQUEST',
    change: answered ? 'answered' : isCancelled ? 'cancelled' : before.created ? 'updated' : 'created',
    changed,
    guests: [...told.values()].map(({ email }) => email),
  };
}

/** Of whom the caller may know. Guests who are hidden and invited once more count as strangers do. `left`: who is not told after all. */
export function countedOf(
  asked: SendUpdates,
  { context, added }: EventChange,
  told: Receivers,
  left: ReadonlySet<string>,
): number {
  const answered = [...told.values()].some(({ reason }) => reason === 'answered');
  // Who has a calendar here is not for guests to find out.
  if (asked === 'externalOnly' && !answered && !context.asOrganizer) return 0;
  if (seesGuests(context)) return told.size;
  const known = [...told]
    .filter(([key, { email }]) => key === context.organizer || isCaller(email, context))
    .map(([key]) => key);
  return new Set([...known, ...added().filter((key) => !left.has(key))]).size;
}

/** The guests with a calendar here, and the owner of the one on which the event was made. */
function hostedBy(
  { copies, homeId }: EventRecord,
  ownerOf: (calendarId: string) => string | undefined,
): readonly string[] {
  const owner = ownerOf(homeId);
  const guests = Object.values(copies).flatMap(({ guest }) => (guest === undefined ? [] : [guest]));
  return owner === undefined ? guests : [...guests, addressKey(owner)];
}

function guestsOf({ context, before, changed }: EventChange): Map<string, Receiver> {
  const { core } = context.record;
  const then = peopleOf(before);
  const now = before.attendees === core.attendees ? then : peopleOf(core);
  // Guests who are hidden from each other do not see that the list changed, save for their own entry.
  const isListAlone = core.guestsCanSeeOtherGuests === false && changed.every((name) => name === 'attendees');
  const receivers = new Map<string, Receiver>();
  for (const [key, entry] of then === now ? now : new Map([...then, ...now])) {
    const [was, is] = [then.get(key), now.get(key)];
    // Whom nobody has told of an event need not hear that it is off.
    if ((isListAlone && sameJson(was, is)) || (core.status === 'cancelled' && !was)) continue;
    const reason = core.status === 'cancelled' ? 'cancelled' : !is ? 'removed' : was ? 'updated' : 'invited';
    receivers.set(key, { email: entry.email, reason });
  }
  return receivers;
}

/** The guests who read mail. */
function peopleOf({ attendees = [] }: EventBody): Map<string, Person> {
  const people = attendees.filter((entry): entry is Person => entry.email !== undefined && !entry.resource);
  return new Map(people.map((entry) => [addressKey(entry.email), entry]));
}

type Person = Attendee & { readonly email: string };

function organizerOf({ record: { core } }: EventContext): Map<string, Receiver> {
  const email = core.organizer?.email;
  return new Map(email === undefined ? [] : [[addressKey(email), { email, reason: 'answered' }]]);
}

/** An answer: the own entry alone, or a copy taken off or put back. By value: instances are composed anew each time. */
export function isAnswer({ context, before, beforeCopy, changed, invites }: EventChange): boolean {
  const { core } = context.record;
  if (invites) return false;
  if (changed.length === 0)
    return !context.asOrganizer && beforeCopy !== undefined && beforeCopy.state !== context.copy.state;
  if (changed.some((name) => name !== 'attendees')) return false;
  const [now, then] = [core.attendees ?? [], before.attendees ?? []];
  return (
    now.length === then.length &&
    now.every((entry, index) =>
      isSameBut(entry, then[index], attendeeKey(entry) === context.owner ? answerFields : none),
    )
  );
}

/** The names of the fields that differ. */
export const changedNames = (before: EventBody, after: EventBody): (keyof EventBody)[] => {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]) as Set<keyof EventBody>;
  // Sorted: the order of keys is that of the store.
  return [...names].filter((name) => !sameJson(after[name], before[name])).sort();
};

const none: ReadonlySet<string> = new Set();
const answerFields: ReadonlySet<string> = new Set(['responseStatus', 'comment', 'additionalGuests']);

function isSameBut(now: Attendee, then: Attendee | undefined, free: ReadonlySet<string>): boolean {
  if (now === then) return true;
  if (!then || attendeeKey(now) !== attendeeKey(then)) return false;
  const bound = (entry: Attendee): object =>
    Object.fromEntries(Object.entries(entry).filter(([name]) => !free.has(name)));
  return sameJson(bound(now), bound(then));
}
