import type { Attendee, EventBody } from '../event/model/fields.ts';
import type { OutboxItem } from '../outbox/outbox.store.ts';

/** Methods of iTIP (RFC 5546). */
export type MailMethod = 'REQUEST' | 'CANCEL' | 'REPLY';

/**
 * Reason for a mail. `removed`: the recipient was removed from the guest list. `cancelled`: the event is cancelled for all.
 * `answered`: a guest responded.
 */
export type MailReason = 'invited' | 'updated' | 'removed' | 'cancelled' | 'answered';

/** Properties of one mail, in contrast to the snapshot shared by all mails of a change. */
export type MailAttributes = {
  readonly method: MailMethod;
  readonly reason: MailReason;
  /** Address of the recipient. */
  readonly to: string;
  /** IANA zone of displayed times: of the recipient's calendar if there is one here, else of the event, else of its calendar. */
  readonly zone: string;
  /** Link to the event on the recipient's calendar; empty if the recipient has none here. */
  readonly link: string;
  /** Id of the event on its home calendar, for the log. */
  readonly event: string;
  /** `traceparent` of the request that made the change; empty without tracing. */
  readonly trace: string;
};

/** A mail to one recipient; its `id` is in the Message-ID. Mails are in no topic log. */
export interface Mail extends OutboxItem {
  readonly topic?: undefined;
  readonly attributes: MailAttributes;
  /** A `MailSnapshot` as JSON, equal for all mails of a change. */
  readonly data: string;
}

/** A guest as mails list it. Guests without an address are not listed. */
export type MailGuest = Pick<
  Attendee,
  'displayName' | 'responseStatus' | 'comment' | 'optional' | 'resource'
> & { readonly email: string };

/** Contents of an event or instance for mails. Only the guest who responds keeps a comment. */
export type MailEvent = Pick<
  EventBody,
  'summary' | 'description' | 'location' | 'status' | 'start' | 'end' | 'recurrence' | 'sequence'
> & {
  readonly attendees?: readonly MailGuest[];
};

/** Text fields, which a snapshot stores once if an instance has those of its series. */
export const textFields = ['summary', 'description', 'location'] as const;

/** A changed or cancelled instance of a series. */
export interface MailInstance {
  /** Original start: `yyyymmdd`, or `yyyymmddThhmmssZ` in UTC. */
  readonly original: string;
  /** Missing `attendees` and text fields are those of the series; a text field of null is unset. */
  readonly event: Omit<MailEvent, (typeof textFields)[number]> & {
    readonly [Field in (typeof textFields)[number]]?: string | null;
  };
  /** Time of the instance's latest change, if later than `MailSnapshot.at`. */
  readonly at?: string;
  /** Set if the instance differs from the series only in guests or their responses. */
  readonly onlyGuests?: true;
}

/** Fields whose values before and after a change are displayed. */
export const displayedFields = ['summary', 'start', 'end', 'location', 'description'] as const;

/**
 * A change, as JSON that its mails share. Contains only what some recipient may see; hidden guests only if they get a mail
 * themselves.
 */
export interface MailSnapshot {
  readonly iCalUID: string;
  /** Time of the change, RFC 3339 in UTC. Never decreases for one event. */
  readonly at: string;
  readonly organizer: { readonly email: string; readonly displayName?: string };
  /** The person who made the change. */
  readonly by?: { readonly email?: string; readonly displayName?: string };
  /** IANA zone of the event's home calendar. */
  readonly zone: string;
  /** Recipients may see only the organizer, themselves and the guest who responded. */
  readonly hidesGuests: boolean;
  readonly event: MailEvent;
  /** Previous values of changed `displayedFields` in an update; null for an unset field. */
  readonly before?: { readonly [Field in (typeof displayedFields)[number]]?: EventBody[Field] | null };
  /** Set if `event` is an instance. `zone`: the zone in which the series recurs. */
  readonly instance?: { readonly original: string; readonly zone: string };
  /** Exceptions of the series `event`. */
  readonly instances?: readonly MailInstance[];
  /** Set if `instances` lacks the changed exceptions, since the snapshot would be too large with them. */
  readonly seriesAlone?: true;
  /** Address of the guest who responded, as in the guest list. */
  readonly guest?: string;
}
