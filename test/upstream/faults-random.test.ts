import { hour, type Outcome } from '../event/event.harness.ts';
import { removal } from '../event/list.harness.ts';
import { Random, seeds } from '../random/seed.ts';
import { startFront, type Front } from './services/services.ts';

const alice = 'alice@example.com';
const guests = ['bob@example.com', 'carol@example.com', 'eve@elsewhere.example', 'fred@elsewhere.example'];

/** An event as its client knows it. */
interface Known {
  readonly id: string;
  /** What its summary may be by now: one, unless an error left it open. */
  summaries: readonly string[];
  /** Whether it may be there, and may be gone. */
  states: readonly ('there' | 'gone')[];
  etag: string | undefined;
}

/** Random writes of one client, and what it may believe of each. */
class Client {
  readonly known: Known[] = [];
  /** By what they wrote: the error of writes that were not acknowledged; undefined for those that were. */
  readonly writes = new Map<string, string | undefined>();
  /** Writes that tell guests and were refused in a way that says that nothing was done. */
  readonly undone: string[] = [];
  readonly #front: Front;
  readonly #random: Random;

  constructor(front: Front, random: Random) {
    this.#front = front;
    this.#random = random;
  }

  async step(): Promise<void> {
    const random = this.#random;
    const there = this.known.filter(({ states }) => states.includes('there'));
    const write = `write ${this.writes.size}`;
    const sendUpdates = random.pick(['all', 'none', undefined]);
    if (there.length === 0 || random.chance(0.3)) return this.#insert(write, sendUpdates);
    const event = random.pick(there);
    return random.chance(0.15)
      ? this.#delete(event, write, sendUpdates)
      : this.#patch(event, write, sendUpdates);
  }

  async #insert(write: string, sendUpdates: string | undefined): Promise<void> {
    const attendees = this.#random.some(guests).map((email) => ({ email }));
    const requestId = this.#random.chance(0.3) ? write : undefined;
    const run = (): Promise<Outcome> =>
      this.#front.gateway.insert({ ...hour, summary: write, attendees }, { sendUpdates, requestId });
    let answer = await run();
    // Who names the request sends it again.
    for (let times = 0; requestId !== undefined && answer.problems.length > 0 && times < 5; times += 1)
      answer = await run();
    const {
      problems: [problem],
      event,
    } = answer;
    this.#wrote(write, problem, sendUpdates);
    if (problem === undefined)
      this.known.push({ id: event.id, summaries: [write], states: ['there'], etag: event.etag });
  }

  async #patch(event: Known, write: string, sendUpdates: string | undefined): Promise<void> {
    const random = this.#random;
    const attendees = random.chance(0.5)
      ? { attendees: random.some(guests).map((email) => ({ email })) }
      : {};
    const ifMatch = random.chance(0.4) ? event.etag : undefined;
    const {
      problems: [problem],
      event: answered,
    } = await this.#front.gateway.patch(event.id, { summary: write, ...attendees }, { sendUpdates, ifMatch });
    this.#wrote(write, problem, sendUpdates);
    if (problem === undefined)
      Object.assign(event, { summaries: [write], states: ['there'], etag: answered.etag });
    else if (isOpen(problem)) Object.assign(event, { summaries: [...event.summaries, write] });
  }

  async #delete(event: Known, write: string, sendUpdates: string | undefined): Promise<void> {
    const ifMatch = this.#random.chance(0.3) ? event.etag : undefined;
    const {
      problems: [problem],
    } = await this.#front.gateway.run(removal, {
      calendarId: 'primary',
      eventId: event.id,
      sendUpdates,
      ifMatch,
    });
    this.#wrote(write, problem, undefined);
    if (problem === undefined) event.states = ['gone'];
    else if (isOpen(problem)) event.states = [...event.states, 'gone'];
  }

  #wrote(write: string, problem: string | undefined, sendUpdates: string | undefined): void {
    this.writes.set(write, problem);
    if (problem !== undefined && sendUpdates === 'all' && !isOpen(problem)) this.undone.push(write);
  }
}

/** Whether an error leaves open what became of the write. */
const isOpen = (problem: string): boolean => /^(UNAVAILABLE|RATE_LIMITED|UNAUTHENTICATED)/.test(problem);

const errors =
  /^(UNAVAILABLE (backendError|outcomeUnknown)|RATE_LIMITED rateLimitExceeded|UNAUTHENTICATED authError|PRECONDITION_FAILED ifMatch conditionNotMet|NOT_FOUND eventId notFound|FORBIDDEN event.*)$/;

test.each(seeds.flatMap((seed) => [10 * seed, 10 * seed + 1, 10 * seed + 2]))(
  'whatever goes wrong behind the gateway, nothing is lost or done twice (seed %i)',
  async (seed) => {
    const front = await startFront();
    try {
      const { events, wrong } = front.services;
      const client = new Client(front, new Random(seed));
      wrong.atRandom(seed, 0.35);
      for (let step = 0; step < 150; step += 1) {
        await client.step();
        front.later();
      }
      wrong.none();

      const problems = [...client.writes.values()].filter((problem) => problem !== undefined);
      expect(problems.filter((problem) => !errors.test(problem))).toEqual([]);
      expect(problems.length).toBeGreaterThan(5);
      const kept = new Map(events.all(alice).map(({ json }) => [String(json.id), json]));
      for (const { id, summaries, states } of client.known) {
        const { summary, status } = kept.get(id) ?? {};
        expect([id, summaries, client.writes.get(String(summary))]).toEqual([
          id,
          expect.arrayContaining([summary]),
          client.writes.get(String(summary)),
        ]);
        expect(states).toContain(status === 'cancelled' ? 'gone' : 'there');
      }
      const inserts = events.done
        .filter(({ method }) => method === 'events.insert')
        .map(({ body }) => String(body.summary));
      expect(inserts).toEqual([...new Set(inserts)]);
      const known = new Set(client.known.map(({ id }) => id));
      const unasked = [...kept.values()]
        .filter(({ id }) => !known.has(String(id)))
        .map((json) => String(events.done.find((one) => one.id === json.id)?.body.summary));
      // What was made and not acknowledged was left open.
      for (const write of unasked)
        expect([write, isOpen(client.writes.get(write) ?? '')]).toEqual([write, true]);
      const told = events.done
        .filter(({ method, told: mails }) => method !== 'events.delete' && mails.length > 0)
        .map(({ body }) => String(body.summary));
      expect(told).toEqual([...new Set(told)]);
      expect(told.filter((write) => client.undone.includes(write))).toEqual([]);
      const deleted = events.done.filter(({ method }) => method === 'events.delete').map(({ id }) => id);
      expect(deleted).toEqual([...new Set(deleted)]);
    } finally {
      await front.close();
    }
  },
);
