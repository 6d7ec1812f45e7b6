import { emailKey } from '../core/email.ts';
import type { EventBody } from './event.ts';

export type SendUpdates = 'all' | 'externalOnly' | 'none';

/** What the request asks for: sendUpdates, else the deprecated flag. */
export function updatesAsked(args: {
  readonly sendUpdates?: SendUpdates | null;
  readonly sendNotifications?: boolean | null;
}): SendUpdates {
  return args.sendUpdates ?? (args.sendNotifications ? 'all' : 'none');
}

/**
 * Whom to tell of a change: the guests before and after it, each once; not the calendar's owner, who made it, and not
 * resources, which read no mail. `externalOnly` leaves out those who have a calendar here.
 * A private copy is nobody else's business.
 */
export function guestsToTell(
  asked: Exclude<SendUpdates, 'none'>,
  before: EventBody,
  after: EventBody,
  owner: string,
  hosted: ReadonlySet<string>,
): string[] {
  if (after.privateCopy) return [];
  const guests = new Map<string, string>();
  // As the address is spelled now: what is before the @ may be told apart by case.
  for (const entry of [...(before.attendees ?? []), ...(after.attendees ?? [])]) {
    if (entry.email !== undefined && !entry.resource) guests.set(emailKey(entry.email), entry.email);
  }
  guests.delete(owner);
  if (asked === 'externalOnly') for (const key of hosted) guests.delete(key);
  return [...guests.values()];
}
