import { oneHour, type Outcome } from '../event/event.harness.ts';
import { deleteDocument } from '../event/list.harness.ts';
import { Random, seeds } from '../random/seed.ts';
import { startFront, type Front } from './services/services.ts';

const alice = 'alice@example.com';
const guests = ['bob@example.com', 'carol@example.com', 'eve@elsewhere.example', 'fred@elsewhere.example'];

/** An event as its client knows it. */
interface KnownEvent {
  readonly id: string;
  /** Summaries that the event may have: several after an error that left the outcome open. */
  summaries: readonly string[];
  states: readonly ('there' | 'gone')[];
  etag: string | undefined;
}

/** A client that makes random writes and tracks which states each may have led to. */
class RandomClient {
  readonly events: KnownEvent[] = [];
  /** The problem of each write by its summary; undefined for acknowledged writes. */
  readonly writes = new Map<string, string | undefined>();
  /** Writes with notifications that were refused with nothing carried out. */
  readonly refusedWrites: string[] = [];
  readonly #front: Front;
  readonly #random: Random;

  constructor(front: Front, random: Random) {
    this.#front = front;
    this.#random = random;
  }

  async makeRandomWrite(): Promise<void> {
    const random = this.#random;
    const existingEvents = this.events.filter(({ states }) => states.includes('there'));
    const writeName = `write ${this.writes.size}`;
    const sendUpdates = random.pick(['all', 'none', undefined]);
    if (existingEvents.length === 0 || random.chance(0.3)) return this.#insert(writeName, sendUpdates);
    const event = random.pick(existingEvents);
    return random.chance(0.15)
      ? this.#delete(event, writeName, sendUpdates)
      : this.#patch(event, writeName, sendUpdates);
  }

  async #insert(write: string, sendUpdates: string | undefined): Promise<void> {
    const attendees = this.#random.pickSome(guests).map((email) => ({ email }));
    const requestId = this.#random.chance(0.3) ? write : undefined;
    const run = (): Promise<Outcome> =>
      this.#front.gateway.insert({ ...oneHour, summary: write, attendees }, { sendUpdates, requestId });
    let outcome = await run();
    // A request with an id may be repeated.
    for (
      let retryCount = 0;
      requestId !== undefined && outcome.problems.length > 0 && retryCount < 5;
      retryCount += 1
    )
      outcome = await run();
    const {
      problems: [problem],
      event,
    } = outcome;
    this.#recordWrite(write, problem, sendUpdates);
    if (problem === undefined)
      this.events.push({ id: event.id, summaries: [write], states: ['there'], etag: event.etag });
  }

  async #patch(event: KnownEvent, write: string, sendUpdates: string | undefined): Promise<void> {
    const random = this.#random;
    const attendees = random.chance(0.5)
      ? { attendees: random.pickSome(guests).map((email) => ({ email })) }
      : {};
    const ifMatch = random.chance(0.4) ? event.etag : undefined;
    const {
      problems: [problem],
      event: returnedEvent,
    } = await this.#front.gateway.patch(event.id, { summary: write, ...attendees }, { sendUpdates, ifMatch });
    this.#recordWrite(write, problem, sendUpdates);
    if (problem === undefined)
      Object.assign(event, { summaries: [write], states: ['there'], etag: returnedEvent.etag });
    else if (leavesOutcomeOpen(problem)) Object.assign(event, { summaries: [...event.summaries, write] });
  }

  async #delete(event: KnownEvent, write: string, sendUpdates: string | undefined): Promise<void> {
    const ifMatch = this.#random.chance(0.3) ? event.etag : undefined;
    const {
      problems: [problem],
    } = await this.#front.gateway.run(deleteDocument, {
      calendarId: 'primary',
      eventId: event.id,
      sendUpdates,
      ifMatch,
    });
    this.#recordWrite(write, problem, undefined);
    if (problem === undefined) event.states = ['gone'];
    else if (leavesOutcomeOpen(problem)) event.states = [...event.states, 'gone'];
  }

  #recordWrite(write: string, problem: string | undefined, sendUpdates: string | undefined): void {
    this.writes.set(write, problem);
    if (problem !== undefined && sendUpdates === 'all' && !leavesOutcomeOpen(problem))
      this.refusedWrites.push(write);
  }
}

const leavesOutcomeOpen = (problem: string): boolean =>
  /^(UNAVAILABLE|RATE_LIMITED|UNAUTHENTICATED)/.test(problem);

const expectedProblemPattern =
  /^(UNAVAILABLE (backendError|outcomeUnknown)|RATE_LIMITED rateLimitExceeded|UNAUTHENTICATED authError|PRECONDITION_FAILED ifMatch conditionNotMet|NOT_FOUND eventId notFound|FORBIDDEN event.*)$/;

test.each(seeds.flatMap((seed) => [10 * seed, 10 * seed + 1, 10 * seed + 2]))(
  'random service failures lose no write and repeat none (seed %i)',
  async (seed) => {
    const front = await startFront();
    try {
      const { events, misbehaviour } = front.services;
      const client = new RandomClient(front, new Random(seed));
      misbehaviour.failAtRandom(seed, 0.35);
      for (let step = 0; step < 150; step += 1) {
        await client.makeRandomWrite();
        front.skipMinute();
      }
      misbehaviour.stopFaults();

      const problems = [...client.writes.values()].filter((problem) => problem !== undefined);
      expect(problems.filter((problem) => !expectedProblemPattern.test(problem))).toEqual([]);
      expect(problems.length).toBeGreaterThan(5);
      const storedEvents = new Map(events.listStored(alice).map(({ json }) => [String(json.id), json]));
      for (const { id, summaries, states } of client.events) {
        const { summary, status } = storedEvents.get(id) ?? {};
        expect([id, summaries, client.writes.get(String(summary))]).toEqual([
          id,
          expect.arrayContaining([summary]),
          client.writes.get(String(summary)),
        ]);
        expect(states).toContain(status === 'cancelled' ? 'gone' : 'there');
      }
      const insertNames = events.appliedChanges
        .filter(({ method }) => method === 'events.insert')
        .map(({ body }) => String(body.summary));
      expect(insertNames).toEqual([...new Set(insertNames)]);
      const knownIds = new Set(client.events.map(({ id }) => id));
      const unacknowledgedInserts = [...storedEvents.values()]
        .filter(({ id }) => !knownIds.has(String(id)))
        .map((json) => String(events.appliedChanges.find((change) => change.id === json.id)?.body.summary));
      // An unacknowledged insert must have been reported with an open outcome.
      for (const write of unacknowledgedInserts)
        expect([write, leavesOutcomeOpen(client.writes.get(write) ?? '')]).toEqual([write, true]);
      const notifyingWrites = events.appliedChanges
        .filter(({ method, notifiedEmails }) => method !== 'events.delete' && notifiedEmails.length > 0)
        .map(({ body }) => String(body.summary));
      expect(notifyingWrites).toEqual([...new Set(notifyingWrites)]);
      expect(notifyingWrites.filter((write) => client.refusedWrites.includes(write))).toEqual([]);
      const deletedIds = events.appliedChanges
        .filter(({ method }) => method === 'events.delete')
        .map(({ id }) => id);
      expect(deletedIds).toEqual([...new Set(deletedIds)]);
    } finally {
      await front.close();
    }
  },
);
