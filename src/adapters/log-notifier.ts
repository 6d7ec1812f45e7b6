import type { Log } from '../core/runtime/log.ts';
import type { GuestNotifier } from '../core/runtime/notifier.ts';

/** Writes each notice as a log line that tells how many guests there are, never who. */
export function createLogNotifier(log: Pick<Log, 'info'>): GuestNotifier {
  return {
    notify: ({ eventId, change, guests }) => log.info({ event: eventId, change, guests: guests.length }, 'guests are told'),
  };
}
