import { calendarChanged, type OpenStream, type Streams } from '../http/streams/stream.harness.ts';
import type { Follower } from './follower.ts';

/** A client that lists a calendar once, and syncs whenever a stream reports a change. */
export class NotifiedFollower {
  readonly #follower: Follower;
  readonly #stream: OpenStream;
  #failure: Error | undefined;
  #isOver = false;
  #wake: () => void = () => undefined;

  private constructor(follower: Follower, stream: OpenStream) {
    this.#follower = follower;
    this.#stream = stream;
  }

  static async start(follower: Follower, streams: Streams): Promise<NotifiedFollower> {
    const { as, calendarId } = follower.caller;
    const notified = new NotifiedFollower(follower, await streams.open(calendarChanged(calendarId), { as }));
    await follower.sync();
    void notified.#read().catch((error: Error) => {
      notified.#failure = error;
      notified.#wake();
    });
    return notified;
  }

  disconnect(): void {
    this.#stream.close();
  }

  /** Waits until the follower matches a fresh list; throws if the stream does not report a change in time. */
  async waitUntilUpToDate(): Promise<void> {
    for (;;) {
      const notified = new Promise<boolean>((resolve) => (this.#wake = () => resolve(true)));
      const errors = await this.#follower.findErrors();
      if (this.#failure) throw this.#failure;
      // When access is lost the stream ends, and does not continue with a later role.
      if (this.#isOver || (errors.length === 0 && !this.#follower.isLost)) return;
      if (errors.length === 0) errors.push('its stream goes on');
      let timer;
      const timeout = new Promise<boolean>((end) => (timer = setTimeout(() => end(false), maxWaitMs)));
      const isNotified = await Promise.race([notified, timeout]);
      clearTimeout(timer);
      if (!isNotified)
        throw new Error(
          `Nothing tells ${this.#follower.name} that a fresh list <> what is known\n${errors.join('\n')}`,
        );
    }
  }

  async #read(): Promise<void> {
    for (;;) {
      const event = await this.#stream.next();
      if (event?.data?.errors?.[0]?.extensions.code === 'NOT_FOUND') {
        this.#isOver = true;
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

/** Much longer than a notification takes, and much shorter than the interval of polling for missed changes. */
const maxWaitMs = 60_000;
