/** A notice of a changed event for some guests (iTIP, RFC 5546). It is part of the change's decision. */
export interface GuestNotice {
  /** The event on the calendar on which it was made. */
  readonly calendarId: string;
  readonly eventId: string;
  /** An instance has that of its series. */
  readonly iCalUID: string;
  readonly sequence: number;
  readonly method: 'REQUEST' | 'CANCEL' | 'REPLY';
  readonly change: 'created' | 'updated' | 'cancelled' | 'answered';
  /** The names of the fields that changed, in no order that matters. */
  readonly changed: readonly string[];
  /** E-mail addresses. They must not be logged. */
  readonly guests: readonly string[];
}

/** Hands notices over for delivery. A failure does not fail the change that caused the notice. */
export interface GuestNotifier {
  notify(notice: GuestNotice): void;
}
