import type { Log } from '../core/runtime/log.ts';
import type { GuestNotifier } from '../core/runtime/notifier.ts';

/** Logs each notice with the number of its guests, never their addresses. */
export function createLogNotifier(log: Pick<Log, 'info'>): GuestNotifier {
  return {
    notify: ({ eventId, change, guests }) =>
      log.info({ event: eventId, change, guests: guests.length }, 'guests are told'),
  };
}
