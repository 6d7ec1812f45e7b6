import { calendarChanged, type Opened, type Streams } from '../http/streams/stream.harness.ts';
import type { Follower } from './follower.ts';

/** A client that lists a calendar once, and asks what is new whenever a stream says that the calendar has changed. */
export class ToldFollower {
  readonly #follower: Follower;
  readonly #stream: Opened;
  #failure: Error | undefined;
  #isOver = false;
  #wake: () => void = () => undefined;

  private constructor(follower: Follower, stream: Opened) {
    this.#follower = follower;
    this.#stream = stream;
  }

  static async begin(follower: Follower, streams: Streams): Promise<ToldFollower> {
    const { as, calendarId } = follower.seat;
    const told = new ToldFollower(follower, await streams.open(calendarChanged(calendarId), { as }));
    await follower.sync();
    void told.#read().catch((error: Error) => {
      told.#failure = error;
      told.#wake();
    });
    return told;
  }

  leave(): void {
    this.#stream.close();
  }

  /** Resolves when it knows what a fresh list says; throws where the stream leaves it without a change for long. */
  async expectToldAll(): Promise<void> {
    for (;;) {
      const told = new Promise<boolean>((resolve) => (this.#wake = () => resolve(true)));
      const errors = await this.#follower.errors();
      if (this.#failure) throw this.#failure;
      // The stream of a calendar that may not be seen any more ends, and does not go on with a role that comes later.
      if (this.#isOver || (errors.length === 0 && !this.#follower.isLost)) return;
      if (errors.length === 0) errors.push('its stream goes on');
      let timer;
      const patience = new Promise<boolean>(
        (resolve) => (timer = setTimeout(() => resolve(false), patienceMs)),
      );
      const isTold = await Promise.race([told, patience]);
      clearTimeout(timer);
      if (!isTold)
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

/** Much longer than a stream ever takes, and much less than after what time it looks whether it missed something. */
const patienceMs = 60_000;
