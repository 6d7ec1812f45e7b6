/** What is to be told of a change of an event, and to whom (iTIP, RFC 5546): part of the change's decision. */
export interface GuestNotice {
  /** The event on the calendar on which it was made. */
  readonly calendarId: string;
  readonly eventId: string;
  /** Of an instance that of its series. */
  readonly iCalUID: string;
  readonly sequence: number;
  readonly method: 'REQUEST' | 'CANCEL' | 'REPLY';
  readonly change: 'created' | 'updated' | 'cancelled' | 'answered';
  /** The names of the fields that changed, in no order that matters. */
  readonly changed: readonly string[];
  /** E-mail addresses. They must not be logged. */
  readonly guests: readonly string[];
}

/** Hands notices over for delivery. It never makes the change that caused a notice fail. */
export interface GuestNotifier {
  notify(notice: GuestNotice): void;
}
