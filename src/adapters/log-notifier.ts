import type { GuestNotifier } from '../core/runtime/notifier.ts';

/** Writes each notice as a log line that tells how many guests there are, never who. */
export function createLogNotifier(log: (line: { event: string; change: string; guests: number }) => void): GuestNotifier {
  return {
    notify: ({ eventId, change, guests }) => log({ event: eventId, change, guests: guests.length }),
  };
}
