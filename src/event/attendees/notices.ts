import { emailKey } from '../../core/text/email.ts';
import type { Attendee, EventBody } from '../model/fields.ts';
import { attendeeKey } from '../model/model.ts';
import type { EventRecord } from '../model/record.ts';
import { isCaller, seesGuests, type Viewpoint } from '../view/viewpoint.ts';

export type SendUpdates = 'all' | 'externalOnly' | 'none';

/** What the request asks for: sendUpdates, else the deprecated flag. */
export function updatesAsked(args: { readonly sendUpdates?: SendUpdates | null; readonly sendNotifications?: boolean | null }): SendUpdates {
  return args.sendUpdates ?? (args.sendNotifications ? 'all' : 'none');
}

/** A change that was stored, as somebody made it. */
export interface Change {
  /** As it is after the change. */
  readonly at: Viewpoint;
  readonly before: EventBody;
  readonly beforeCopy: EventRecord['copies'][string] | undefined;
  /** Guests whom the change added, as the caller knows. */
  readonly added: () => ReadonlySet<string | undefined>;
  /** The caller invited somebody who was on the list unseen: that is to look like any invitation. */
  readonly invites: boolean;
}

/** The guests to tell of a change, and of how many the caller may know. */
export interface Notices {
  readonly guests: readonly string[];
  readonly counted: number;
  readonly change: 'created' | 'updated' | 'cancelled' | 'answered';
}

/**
 * Whom to tell: the guests before and after a change that all copies show, each once; not the calendar's owner, who
 * made it, and not resources, which read no mail. An answer alone is the organizer's to know. `hosted` are those who
 * have a calendar here: `externalOnly` leaves them out. A private copy is nobody else's business.
 */
export function noticesOf(asked: Exclude<SendUpdates, 'none'>, change: Change, hosted: ReadonlySet<string>): Notices {
  const { at, before } = change;
  const { core } = at.record;
  const wanted = core.privateCopy ? new Map<string, string>() : isAnswer(change) ? organizerOf(at) : guestsOf(before, core);
  wanted.delete(at.owner);
  if (asked === 'externalOnly') for (const key of hosted) wanted.delete(key);
  const seesAll = seesGuests(at);
  const added = seesAll ? undefined : change.added();
  const isKnown = (key: string): boolean => !added || added.has(key) || key === at.organizer || isCaller(wanted.get(key), at.identity);
  return {
    guests: [...wanted.values()],
    counted: [...wanted.keys()].filter(isKnown).length,
    change: isAnswer(change) ? 'answered' : core.status === 'cancelled' ? 'cancelled' : before.created ? 'updated' : 'created',
  };
}

/** Whether there is anything to tell: a change that other copies show. */
export const concernsOthers = (change: Change): boolean =>
  change.at.record.core !== change.before || change.invites || isAnswer(change);

function guestsOf(before: EventBody, after: EventBody): Map<string, string> {
  const guests = new Map<string, string>();
  // As the address is spelled now: what is before the @ may be told apart by case.
  for (const { email, resource } of [...(before.attendees ?? []), ...(after.attendees ?? [])]) {
    if (email !== undefined && !resource) guests.set(emailKey(email), email);
  }
  return guests;
}

function organizerOf({ record: { core } }: Viewpoint): Map<string, string> {
  const email = core.organizer?.email;
  return new Map(email === undefined ? [] : [[emailKey(email), email]]);
}

/** A guest answered, took the event off the own calendar or put it back, and did nothing else that others see. */
function isAnswer({ at, before, beforeCopy, invites }: Change): boolean {
  const { core } = at.record;
  if (at.asOrganizer || invites) return false;
  if (core === before) return beforeCopy !== undefined && beforeCopy.state !== at.copy.state;
  const names = new Set([...Object.keys(core), ...Object.keys(before)]) as Set<keyof EventBody>;
  for (const name of names) if (name !== 'attendees' && core[name] !== before[name]) return false;
  const [now, then] = [core.attendees ?? [], before.attendees ?? []];
  const isOther = (entry: Attendee): boolean => attendeeKey(entry) !== at.owner && !then.includes(entry);
  return now.length === then.length && !now.some(isOther);
}
