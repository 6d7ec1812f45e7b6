import type { Attendee, EventBody } from '../event/model/fields.ts';
import type { OutboxItem } from '../outbox/outbox.store.ts';

/** Methods of iTIP (RFC 5546). */
export type MailMethod = 'REQUEST' | 'CANCEL' | 'REPLY';

/** What a mail tells its receiver. `removed`: the receiver was taken off the guest list; `cancelled`: the event is off for all. */
export type MailReason = 'invited' | 'updated' | 'removed' | 'cancelled' | 'answered';

/** What a mail says to its one receiver alone. */
export type MailAttributes = {
  readonly method: MailMethod;
  readonly reason: MailReason;
  /** The receiver's address, as the guest list or the organizer has it. */
  readonly to: string;
  /** IANA zone in which times are told: that of the receiver's own calendar here, else the event's, else its calendar's. */
  readonly zone: string;
  /** The event on the receiver's calendar here; empty where there is none. */
  readonly link: string;
  /** The event's id on its home calendar, for the log. */
  readonly event: string;
  /** The `traceparent` of the request that caused it; empty without traces. */
  readonly trace: string;
};

/** A mail on its way to one receiver; `id` is that of its Message-ID. No log shows it. */
export interface Mail extends OutboxItem {
  readonly topic?: undefined;
  readonly attributes: MailAttributes;
  /** A `MailSnapshot` as JSON: one text for all mails of a change. */
  readonly data: string;
}

/** Longer names are cut: a list of a thousand guests is to fit into a mail. */
export const longestName = 256;

/** What is told of a guest. Guests without an address cannot be told of. */
export type MailGuest = Pick<
  Attendee,
  'displayName' | 'responseStatus' | 'comment' | 'optional' | 'resource'
> & { readonly email: string };

/** What is told of an event or of one of its instances. Of the guests' comments that of who answers alone is there. */
export type MailEvent = Pick<
  EventBody,
  'summary' | 'description' | 'location' | 'status' | 'start' | 'end' | 'recurrence' | 'sequence'
> & {
  readonly attendees?: readonly MailGuest[];
};

/** What people write about an event: much of it may be the same in all instances of a series. */
export const writtenFields = ['summary', 'description', 'location'] as const;

/** An instance of a series that was changed by itself. */
export interface MailInstance {
  /** When it starts by the rules: `yyyymmdd` or, in UTC, `yyyymmddThhmmssZ`. */
  readonly original: string;
  /** Without `attendees` it has the guests of the series, and of `writtenFields` what the series has; null is for none. */
  readonly event: Omit<MailEvent, (typeof writtenFields)[number]> & {
    readonly [Field in (typeof writtenFields)[number]]?: string | null;
  };
  /** When it was changed last, where that is later than the change that is told. */
  readonly at?: string;
  /** Nothing but its guests or their answers is other than in the series. */
  readonly onlyGuests?: true;
}

/** Fields of which a mail says what they were, and what they are now. */
export const displayedFields = ['summary', 'start', 'end', 'location', 'description'] as const;

/** A change as its mails tell of it: JSON, with nothing in it that no receiver may know. Of guests who are hidden, receivers alone are in it. */
export interface MailSnapshot {
  readonly iCalUID: string;
  /** When the change was stored: RFC 3339 in UTC. Of one event it never goes back. */
  readonly at: string;
  readonly organizer: { readonly email: string; readonly displayName?: string };
  /** Who made the change. */
  readonly by?: { readonly email?: string; readonly displayName?: string };
  /** IANA zone of the event's home calendar. */
  readonly zone: string;
  /** Guests do not see each other. */
  readonly hidesGuests: boolean;
  readonly event: MailEvent;
  /** Of an update: those of `toldFields` that changed, as they were; null for what was not set. */
  readonly before?: { readonly [Field in (typeof displayedFields)[number]]?: EventBody[Field] | null };
  /** Of an instance. `zone`: the zone by which the series counts. */
  readonly instance?: { readonly original: string; readonly zone: string };
  /** Of a series: what was changed of it. */
  readonly instances?: readonly MailInstance[];
  /** Instances that were changed by themselves, those aside that are off, are not among `instances`: there was too much of them. */
  readonly seriesAlone?: true;
  /** Of an answer: the address of who gave it, as the guest list has it. */
  readonly guest?: string;
}
