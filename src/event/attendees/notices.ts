import { isCaller } from '../../access/permissions.ts';
import { isSameJson } from '../../core/json.ts';
import type { Warning } from '../../core/errors.ts';
import { addressKey } from '../../core/text/email.ts';
import type { GuestNotice } from '../event.store.ts';
import type { Mail, MailReason } from '../../mail/mail.ts';
import type { NotifyArgs, SendUpdates } from '../event.requests.ts';
import { withoutResponse } from '../instances/instance-guests.ts';
import { type Attendee, attendeeKey, type EventBody } from '../model/fields.ts';
import { type EventRecord, homeReference } from '../model/record.ts';
import { seesGuests, type EventContext } from '../visibility/event-context.ts';

/** Value of sendUpdates, or of the deprecated sendNotifications. */
export function sendUpdatesOf(args: NotifyArgs): SendUpdates {
  return args.sendUpdates ?? (args.sendNotifications ? 'all' : 'none');
}

/** Change of an event from the view of its author. */
export interface EventChange {
  /** Event after the change. */
  readonly context: EventContext;
  /** Core before the change; empty for a new event. */
  readonly coreBefore: EventBody;
  /** Calendar's copy before the change; undefined for a new event. */
  readonly copyBefore: EventRecord['copies'][string] | undefined;
  /** Changed fields of the core, sorted. */
  readonly changedFields: readonly (keyof EventBody)[];
  /** Keys of the guests whom the caller added to the list that the caller sees, without resources. */
  readonly addedGuestKeys: () => readonly string[];
  /** The caller invited a guest unseen by the caller: a new one, or a hidden one, which must look the same. */
  readonly invitesUnseenGuest?: boolean | undefined;
  /** Series of a changed instance. */
  readonly series?: EventRecord | undefined;
  /** Exceptions of a changed series after the change. */
  readonly exceptions?: (() => readonly EventRecord[]) | undefined;
}

/** Person whom a change concerns, and why. */
interface Recipient {
  /** Address in its present spelling, since the part before the @ may be case-sensitive. */
  readonly email: string;
  readonly reason: MailReason;
}

/** Recipients by `addressKey`. */
export type RecipientMap = ReadonlyMap<string, Recipient>;

/** Notice and mails about a change, and what its author learns of them. */
export interface Notices {
  readonly notice?: GuestNotice;
  /** Number of notified guests of whom the caller may know. */
  readonly guestsNotified: number;
  readonly mails: readonly Mail[];
  /** Reasons why guests are not notified. */
  readonly warnings: readonly Warning[];
}

/** Notices of a change that nobody is notified of. */
export const noNotice: Notices = { guestsNotified: 0, mails: [], warnings: [] };

/**
 * Finds the recipients whom a change of the core concerns, whether they are notified or not: guests before and
 * after it, except the calendar's owner, the caller, and resources, which read no mail. A response (`isReply`)
 * concerns the organizer only.
 */
export function findAffectedRecipients(change: EventChange, isReply: boolean): RecipientMap {
  const { context } = change;
  const { core } = context.record;
  if (core.privateCopy || !(isReply || change.invitesUnseenGuest || change.changedFields.length > 0))
    return new Map();
  // A calendar owner who is on no guest list declines by removing the event. Restoring it is not a response.
  const isListed = (): boolean =>
    core.attendees?.some((entry) => attendeeKey(entry) === context.owner) === true;
  if (isReply && context.copy.state === 'present' && !isListed()) return new Map();
  const recipients = isReply ? organizerRecipientOf(context) : collectGuestRecipients(change);
  for (const key of [context.owner, context.identity]) recipients.delete(key);
  return recipients;
}

/** Selects the recipients without a calendar here. */
export function selectExternal(
  recipients: RecipientMap,
  { copies, homeId }: EventRecord,
  ownerOf: (calendarId: string) => string | undefined,
): RecipientMap {
  const externalRecipients = new Map(recipients);
  for (const { guest } of Object.values(copies)) externalRecipients.delete(guest ?? '');
  externalRecipients.delete(addressKey(ownerOf(homeId) ?? ''));
  return externalRecipients;
}

/** Creates the notice for all recipients; undefined without any. */
export function createNotice(
  { context: { record }, coreBefore, changedFields }: EventChange,
  recipients: RecipientMap,
): GuestNotice | undefined {
  const [firstRecipient] = recipients.values();
  if (!firstRecipient) return undefined;
  const { core } = record;
  const isCancelled = core.status === 'cancelled';
  const isReply = firstRecipient.reason === 'answered';
  return {
    ...homeReference(record),
    iCalUID: core.iCalUID ?? '',
    sequence: core.sequence ?? 0,
    method: isReply ? 'REPLY' : isCancelled ? 'CANCEL' : 'REQUEST',
    change: isReply ? 'answered' : isCancelled ? 'cancelled' : coreBefore.created ? 'updated' : 'created',
    changed: changedFields,
    guests: [...recipients.values()].map(({ email }) => email),
  };
}

/**
 * Counts recipients whom the caller may know of: hidden guests count only if the caller added them.
 * `intendedRecipients`: with those to whom no mail could be sent.
 */
export function countVisibleRecipients(
  sendUpdates: SendUpdates,
  { context, addedGuestKeys }: EventChange,
  recipients: RecipientMap,
  intendedRecipients: RecipientMap,
): number {
  const hasResponse = [...recipients.values()].some(({ reason }) => reason === 'answered');
  // The count must not reveal to guests who has a calendar here.
  if (sendUpdates === 'externalOnly' && !hasResponse && !context.hasOrganizerRights) return 0;
  if (seesGuests(context)) return recipients.size;
  const knownKeys = [...recipients]
    .filter(([key, { email }]) => key === context.organizer || isCaller(email, context))
    .map(([key]) => key);
  const addedKeys = addedGuestKeys().filter((key) => recipients.has(key) || !intendedRecipients.has(key));
  return new Set([...knownKeys, ...addedKeys]).size;
}

/** Collects the guests whom a change concerns, each with the reason of the mail. */
function collectGuestRecipients({ context, coreBefore, changedFields }: EventChange): Map<string, Recipient> {
  const { core } = context.record;
  const guestsBefore = mailableGuestsOf(coreBefore);
  const guestsAfter = coreBefore.attendees === core.attendees ? guestsBefore : mailableGuestsOf(core);
  // Guests who are hidden from each other see only changes of their own entry.
  const isListOnly =
    core.guestsCanSeeOtherGuests === false && changedFields.every((name) => name === 'attendees');
  const recipients = new Map<string, Recipient>();
  for (const [key, { email }] of new Map([...guestsBefore, ...guestsAfter])) {
    const [entryBefore, entryAfter] = [guestsBefore.get(key), guestsAfter.get(key)];
    // New guests of a cancelled event were never invited, so they need no cancellation.
    if ((isListOnly && isSameJson(entryBefore, entryAfter)) || (core.status === 'cancelled' && !entryBefore))
      continue;
    const reason =
      core.status === 'cancelled'
        ? 'cancelled'
        : !entryAfter
          ? 'removed'
          : entryBefore
            ? 'updated'
            : 'invited';
    recipients.set(key, { email: email as string, reason });
  }
  return recipients;
}

/** Guests who read mail, by `addressKey`. */
function mailableGuestsOf({ attendees = [] }: EventBody): Map<string, Attendee> {
  const mailReaders = attendees.filter(({ email, resource }) => email !== undefined && !resource);
  return new Map(mailReaders.map((entry) => [addressKey(entry.email as string), entry]));
}

/** Organizer as the only recipient, for a response; empty without an address. */
function organizerRecipientOf({ record: { core } }: EventContext): Map<string, Recipient> {
  const email = core.organizer?.email;
  return new Map(email === undefined ? [] : [[addressKey(email), { email, reason: 'answered' }]]);
}

/** Whether a change is a response: of the calendar owner's entry only, or it removes or restores the copy. */
export function isResponse(change: EventChange): boolean {
  const { context, coreBefore, copyBefore, changedFields } = change;
  if (change.invitesUnseenGuest) return false;
  if (changedFields.length === 0)
    return !context.hasOrganizerRights && copyBefore !== undefined && copyBefore.state !== context.copy.state;
  if (changedFields.some((name) => name !== 'attendees')) return false;
  const guestsAfter = context.record.core.attendees ?? [];
  const guestsBefore = coreBefore.attendees ?? [];
  // Guests are compared by value, since instances are composed again for each read.
  const isSameButOwnResponse = (guest: Attendee, guestBefore: Attendee): boolean =>
    attendeeKey(guest) === context.owner
      ? isSameJson(withoutResponse(guest), withoutResponse(guestBefore))
      : isSameJson(guest, guestBefore);
  return (
    guestsAfter.length === guestsBefore.length &&
    guestsAfter.every((entry, index) => isSameButOwnResponse(entry, guestsBefore[index] as Attendee))
  );
}

/** Names of the fields that differ, sorted since the order of keys depends on the store. */
export const changedFieldNames = (before: EventBody, after: EventBody): (keyof EventBody)[] => {
  const allNames = new Set([...Object.keys(after), ...Object.keys(before)]) as Set<keyof EventBody>;
  return [...allNames].filter((name) => !isSameJson(after[name], before[name])).sort();
};
