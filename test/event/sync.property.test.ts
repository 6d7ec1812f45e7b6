import { alice, berlin, bob, carol, people, startEvents, type EventGateway, type Shown } from './event.harness.ts';
import { list, type ListVariables } from './list.harness.ts';
import { fc } from '../property.ts';

const changesInAll = 1000;
const day = (index: number): string => `2026-12-${String(1 + (index % 28)).padStart(2, '0')}`;
const at = (index: number, hour: number) => ({
  start: { dateTime: `${day(index)}T${String(hour).padStart(2, '0')}:00:00`, timeZone: berlin },
  end: { dateTime: `${day(index)}T${String(hour).padStart(2, '0')}:30:00`, timeZone: berlin },
});
const rules = ['RRULE:FREQ=WEEKLY', 'RRULE:FREQ=WEEKLY;COUNT=3', 'RRULE:FREQ=DAILY;COUNT=12', 'RRULE:FREQ=DAILY;UNTIL=20270110T000000Z', 'RRULE:FREQ=DAILY;INTERVAL=2;COUNT=5'];
const guestLists = [[], [bob], [bob, carol], [carol]].map((emails) => emails.map((email) => ({ email })));

/** What happens: to a single event, a series or one instance, by its organizer or by a guest; `n` chooses the details. */
const kinds = ['insert', 'insert series', 'edit', 'move', 'rule', 'cancel', 'delete', 'restore', 'guests', 'hide guests', 'answer', 'guest removes', 'guest restores', 'colour', 'insert instance'] as const;
const change = fc.record({ kind: fc.constantFrom(...kinds), of: fc.nat(1000), instance: fc.nat(3), n: fc.nat(1000) });
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Follows a calendar by sync tokens alone, after one full list. */
class Follower {
  readonly known = new Map<string, Shown>();
  #syncToken: string | null = null;
  readonly #gateway: EventGateway;
  readonly #variables: ListVariables;

  constructor(gateway: EventGateway, variables: ListVariables) {
    this.#gateway = gateway;
    this.#variables = variables;
  }

  async sync(first: number): Promise<void> {
    let after: string | null = null;
    do {
      const page = await list(this.#gateway, { ...this.#variables, first, after, syncToken: this.#syncToken });
      expect(page.problems).toEqual([]);
      for (const event of page.nodes) {
        if (event.status === 'cancelled' && !this.#variables.showDeleted) this.known.delete(event.id);
        else this.known.set(event.id, event);
      }
      after = page.endCursor;
      if (!page.hasNextPage) [after, this.#syncToken] = [null, page.nextSyncToken];
    } while (after !== null);
  }

  /** What a list tells that knows nothing of earlier ones. */
  async whole(): Promise<Map<string, Shown>> {
    const { nodes, hasNextPage } = await list(this.#gateway, { ...this.#variables, first: 2500 });
    expect(hasNextPage).toBe(false);
    return new Map(nodes.map((event) => [event.id, event]));
  }
}

describe('clients that follow a calendar by sync tokens', () => {
  let gateway: EventGateway;
  const made: string[] = [];
  const done = new Map<string, number>();
  beforeEach(async () => {
    gateway = await startEvents({ seed: { calendars: people() } });
    made.splice(0);
    done.clear();
  });
  afterEach(() => gateway.close());

  /** The id of an event, or of one of the instances that it has now. */
  async function target({ of, instance }: Change): Promise<string> {
    const id = made[of % made.length] as string;
    if (instance === 0) return id;
    const { data } = await gateway.ask('query ($eventId: String!) { instances(calendarId: "primary", eventId: $eventId, first: 6, showDeleted: true) { nodes { id } } }', { eventId: id });
    const nodes: readonly Shown[] = data.instances?.nodes ?? [];
    return nodes[(of * instance) % Math.max(nodes.length, 1)]?.id ?? id;
  }

  async function make(step: Change): Promise<void> {
    const { kind, n } = step;
    const attendees = guestLists[n % guestLists.length];
    if (kind === 'insert' || kind === 'insert series' || made.length === 0) {
      const recurrence = kind === 'insert series' ? { recurrence: [rules[n % rules.length]] } : {};
      const { event } = await gateway.insert({ summary: `made ${n}`, ...at(n, 8 + (n % 9)), attendees, ...recurrence });
      made.push(event.id);
      return count(kind, true);
    }
    const eventId = await target(step);
    if (kind === 'delete') {
      const { errors } = await gateway.ask('mutation ($eventId: String!) { deleteEvent(calendarId: "primary", eventId: $eventId) }', { eventId });
      return count(kind, !errors);
    }
    if (kind === 'insert instance') {
      const [recurringEventId = '', time = ''] = eventId.split('_');
      const dateTime = time.replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z');
      const { problems } = await gateway.insert({ recurringEventId, originalStartTime: { dateTime, timeZone: berlin }, summary: `instance ${n}`, ...at(n, 18) });
      return count(kind, problems.length === 0);
    }
    const bodies: Record<Exclude<Change['kind'], 'insert' | 'insert series' | 'delete' | 'insert instance'>, [object, string]> = {
      edit: [{ summary: `edit ${n}` }, alice],
      move: [at(n, 8 + (n % 9)), alice],
      rule: [{ recurrence: [rules[n % rules.length]] }, alice],
      cancel: [{ status: 'cancelled' }, alice],
      restore: [{ status: 'confirmed' }, alice],
      guests: [{ attendees }, alice],
      'hide guests': [{ guestsCanSeeOtherGuests: n % 2 === 0 }, alice],
      answer: [{ attendeesOmitted: true, attendees: [{ email: bob, responseStatus: n % 2 === 0 ? 'accepted' : 'declined', comment: `answer ${n}` }] }, bob],
      'guest removes': [{ status: 'cancelled' }, bob],
      'guest restores': [{ status: 'confirmed' }, bob],
      colour: [{ colorId: String((n % 11) + 1) }, n % 3 === 0 ? alice : bob],
    };
    const [body, as] = bodies[kind];
    // What cannot be changed just then stays as it is.
    count(kind, (await gateway.patch(eventId, body, { as })).problems.length === 0);
  }

  function count(kind: string, applied: boolean): void {
    if (applied) done.set(kind, (done.get(kind) ?? 0) + 1);
  }

  test('know after 1,000 changes what a full list shows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: changesInAll, maxLength: changesInAll }), async (steps) => {
        const followers = [alice, bob].flatMap((as) => [{ as }, { as, showDeleted: true }].map((variables) => new Follower(gateway, variables)));
        for (const step of steps) {
          await make(step);
          await followers[step.n % 40]?.sync(1 + (step.of % 9));
        }
        for (const follower of followers) {
          await follower.sync(2500);
          expect(new Map([...follower.known].sort())).toEqual(new Map([...(await follower.whole())].sort()));
        }
      }),
      { numRuns: 1, endOnFailure: true, verbose: 0 },
    );
    // Every kind of change took place.
    expect([...done.keys()].sort()).toEqual([...kinds].sort());
  }, 240_000);
});
