import { writeCalendarSubscription, type OpenStream, type Streams } from '../http/streams/stream.harness.ts';
import type { Follower } from './follower.ts';

/** A client that lists a calendar once, and syncs whenever a stream reports a change. */
export class NotifiedFollower {
  readonly #follower: Follower;
  readonly #stream: OpenStream;
  #failure: Error | undefined;
  #hasEnded = false;
  #wake: () => void = () => undefined;

  private constructor(follower: Follower, stream: OpenStream) {
    this.#follower = follower;
    this.#stream = stream;
  }

  static async start(follower: Follower, streams: Streams): Promise<NotifiedFollower> {
    const { as, calendarId } = follower.caller;
    const notifiedFollower = new NotifiedFollower(
      follower,
      await streams.open(writeCalendarSubscription(calendarId), { as }),
    );
    await follower.sync();
    void notifiedFollower.#syncOnEvents().catch((error: Error) => {
      notifiedFollower.#failure = error;
      notifiedFollower.#wake();
    });
    return notifiedFollower;
  }

  disconnect(): void {
    this.#stream.close();
  }

  /** Waits until the follower matches a fresh list; throws if the stream does not report a change in time. */
  async waitUntilUpToDate(): Promise<void> {
    for (;;) {
      const notification = new Promise<boolean>((resolve) => (this.#wake = () => resolve(true)));
      const errors = await this.#follower.findErrors();
      if (this.#failure) throw this.#failure;
      // When access is lost the stream ends, and does not continue with a later role.
      if (this.#hasEnded || (errors.length === 0 && !this.#follower.hasLostAccess)) return;
      if (errors.length === 0) errors.push('its stream continues after access was lost');
      let timer;
      const timeout = new Promise<boolean>(
        (resolve) => (timer = setTimeout(() => resolve(false), maxNotificationWaitMs)),
      );
      const wasNotified = await Promise.race([notification, timeout]);
      clearTimeout(timer);
      if (!wasNotified)
        throw new Error(`No event notified ${this.#follower.name} of a change:\n${errors.join('\n')}`);
    }
  }

  async #syncOnEvents(): Promise<void> {
    for (;;) {
      const event = await this.#stream.next();
      if (event?.data?.errors?.[0]?.extensions.code === 'NOT_FOUND') {
        this.#hasEnded = true;
        this.#wake();
        return;
      }
      if (!event?.data?.data?.calendarChanged)
        throw new Error(`The stream of ${this.#follower.name} has ended: ${JSON.stringify(event)}`);
      await this.#follower.sync();
      this.#wake();
    }
  }
}

/** Maximum wait for a notification, well below the interval of polling for missed changes. */
const maxNotificationWaitMs = 60_000;
