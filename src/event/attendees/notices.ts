import { isCaller } from '../../access/permissions.ts';
import { sameJson } from '../../core/kernel/equal.ts';
import { addressKey } from '../../core/text/email.ts';
import type { GuestNotice } from '../../core/runtime/notifier.ts';
import type { NotifyArgs, SendUpdates } from '../event.requests.ts';
import type { Attendee, EventBody } from '../model/fields.ts';
import { attendeeKey } from '../model/attendee-key.ts';
import type { EventRecord } from '../model/record.ts';
import { seesGuests, type Viewpoint } from '../view/viewpoint.ts';

/** What the request asks for: sendUpdates, else the deprecated flag. */
export function updatesAsked(args: NotifyArgs): SendUpdates {
  return args.sendUpdates ?? (args.sendNotifications ? 'all' : 'none');
}

/** A change that was stored, as somebody made it. */
export interface Change {
  /** As it is after the change. */
  readonly at: Viewpoint;
  readonly before: EventBody;
  readonly beforeCopy: EventRecord['copies'][string] | undefined;
  /** Guests whom the request added, resources aside, as far as the caller knows: by `addressKey`. */
  readonly added: () => readonly string[];
  /** The caller invited somebody who was on the list unseen: that must look like any invitation. */
  readonly invites: boolean;
}

/** The notice of a change, and the number of notified guests that the caller may know of. */
export interface Notices {
  /** Absent where nobody is notified. */
  readonly notice?: GuestNotice;
  readonly counted: number;
}

const nothing: Notices = { counted: 0 };

/**
 * Whom to notify: the guests before and after a change that all copies show, each once; not the calendar's owner, who
 * made it, and not resources, which read no mail. An answer alone is the organizer's to know. `hosted` are those who
 * have a calendar here: `externalOnly` leaves them out. A private copy is nobody else's business.
 */
export function noticesOf(asked: SendUpdates, change: Change, ownerOf: (calendarId: string) => string | undefined): Notices {
  if (asked === 'none' || !concernsOthers(change)) return nothing;
  const { at, before } = change;
  const { core } = at.record;
  const answered = isAnswer(change);
  const wanted = core.privateCopy ? new Map<string, string>() : answered ? organizerOf(at) : guestsOf(before, core);
  wanted.delete(at.owner);
  // An answer reaches the organizer for all values of sendUpdates but none.
  if (asked === 'externalOnly' && !answered) for (const key of hostedBy(at.record, ownerOf)) wanted.delete(key);
  return {
    ...(wanted.size > 0 && { notice: noticeOf(change, answered, [...wanted.values()]) }),
    // Who has a calendar here is not for guests to find out.
    counted: asked === 'externalOnly' && !answered && !at.asOrganizer ? 0 : countedOf(change, wanted),
  };
}

function noticeOf({ at: { record }, before }: Change, answered: boolean, guests: readonly string[]): GuestNotice {
  const { core, homeId, copies } = record;
  const isCancelled = core.status === 'cancelled';
  return {
    calendarId: homeId, eventId: copies[homeId]?.id ?? '', iCalUID: core.iCalUID ?? '', sequence: core.sequence ?? 0,
    method: answered ? 'REPLY' : isCancelled ? 'CANCEL' : 'REQUEST',
    change: answered ? 'answered' : isCancelled ? 'cancelled' : before.created ? 'updated' : 'created',
    changed: changedNames(before, core), guests,
  };
}

/** The guests with a calendar here, and the owner of the one on which the event was made. */
function hostedBy({ copies, homeId }: EventRecord, ownerOf: (calendarId: string) => string | undefined): readonly string[] {
  const owner = ownerOf(homeId);
  const guests = Object.values(copies).flatMap(({ guest }) => (guest === undefined ? [] : [guest]));
  return owner === undefined ? guests : [...guests, addressKey(owner)];
}

/** Of whom the caller may know. Guests who are hidden and invited once more count as strangers do. */
function countedOf({ at, added }: Change, wanted: ReadonlyMap<string, string>): number {
  if (seesGuests(at)) return wanted.size;
  const known = [...wanted].filter(([key, email]) => key === at.organizer || isCaller(email, at)).map(([key]) => key);
  return new Set([...known, ...added()]).size;
}

/** Whether a change shows on other copies. */
const concernsOthers = (change: Change): boolean =>
  change.invites || changedNames(change.before, change.at.record.core).length > 0 || isAnswer(change);

function guestsOf(before: EventBody, after: EventBody): Map<string, string> {
  const guests = new Map<string, string>();
  // As the address is spelled now: the part before the @ may be case-sensitive.
  for (const { email, resource } of [...(before.attendees ?? []), ...(after.attendees ?? [])]) {
    if (email !== undefined && !resource) guests.set(addressKey(email), email);
  }
  return guests;
}

function organizerOf({ record: { core } }: Viewpoint): Map<string, string> {
  const email = core.organizer?.email;
  return new Map(email === undefined ? [] : [[addressKey(email), email]]);
}

/**
 * An answer: somebody's own entry alone, or a guest's copy that was taken off the own calendar or put back. Compared by
 * value, since an instance of a series is put together anew each time.
 */
function isAnswer({ at, before, beforeCopy, invites }: Change): boolean {
  const { core } = at.record;
  if (invites) return false;
  const changed = changedNames(before, core);
  if (changed.length === 0) return !at.asOrganizer && beforeCopy !== undefined && beforeCopy.state !== at.copy.state;
  if (changed.some((name) => name !== 'attendees')) return false;
  const [now, then] = [core.attendees ?? [], before.attendees ?? []];
  return now.length === then.length && now.every((entry, index) => isSameBut(entry, then[index], attendeeKey(entry) === at.owner ? answerFields : none));
}

const changedNames = (before: EventBody, after: EventBody): (keyof EventBody)[] => {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]) as Set<keyof EventBody>;
  // Sorted: the order of keys is that of the store.
  return [...names].filter((name) => !sameJson(after[name], before[name])).sort();
};

const none: ReadonlySet<string> = new Set();
const answerFields: ReadonlySet<string> = new Set(['responseStatus', 'comment', 'additionalGuests']);

function isSameBut(now: Attendee, then: Attendee | undefined, free: ReadonlySet<string>): boolean {
  if (now === then) return true;
  if (!then || attendeeKey(now) !== attendeeKey(then)) return false;
  const bound = (entry: Attendee): object => Object.fromEntries(Object.entries(entry).filter(([name]) => !free.has(name)));
  return sameJson(bound(now), bound(then));
}
