/** A message to the guests of an event. */
export interface GuestNotice {
  readonly eventId: string;
  readonly change: 'created' | 'updated' | 'cancelled' | 'answered';
  /** E-mail addresses. They must not be logged. */
  readonly guests: readonly string[];
}

/** Hands notices over for delivery. It never makes the change that caused a notice fail. */
export interface GuestNotifier {
  notify(notice: GuestNotice): void;
}
