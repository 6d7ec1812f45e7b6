import { berlin, hour, startEvents, type EventGateway } from './event.harness.ts';
import { list, type ListPage } from './list.harness.ts';
import { fc } from '../property.ts';

const rounds = 40;
const organizer = (round: number): string => `organizer${round}@example.com`;
const guest = (round: number): string => `guest${round}@example.com`;

/** What happens on the calendars: `of` picks one of the events there are. */
type Change = { readonly kind: (typeof kinds)[number]; readonly of: number };
const kinds = [
  'insert', 'guest inserts', 'edit', 'answer', 'colour', 'cancel', 'restore', 'take off the list', 'invite', 'guest removes', 'guest restores',
] as const;
/** A change, or the reading of one page of so many events. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom(...kinds), of: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 4 }) },
);

/** A client that lists its calendar page by page, and then follows the changes. */
class Follower {
  readonly known = new Map<string, unknown>();
  #syncToken: string | null = null;
  #after: string | null = null;
  #listed = new Set<string>();
  readonly #list: (variables: object) => Promise<ListPage>;

  constructor(list: (variables: object) => Promise<ListPage>) {
    this.#list = list;
  }

  /** Reads one page; true when it was the last one of its list and had nothing new. */
  async read(first: number): Promise<boolean> {
    const page = await this.#list({ first, after: this.#after, syncToken: this.#syncToken });
    expect(page.problems).toEqual([]);
    expect(page.ids.length).toBeLessThanOrEqual(first);
    for (const event of page.nodes) {
      expect(this.#listed).not.toContain(event.id);
      this.#listed.add(event.id);
      if (event.status === 'cancelled') this.known.delete(event.id);
      else this.known.set(event.id, event);
    }
    expect(page.nextSyncToken === null).toBe(page.hasNextPage);
    const done = !page.hasNextPage && this.#listed.size === 0 && this.#syncToken !== null;
    if (page.hasNextPage) this.#after = page.endCursor;
    else {
      this.#after = null;
      this.#syncToken = page.nextSyncToken;
      this.#listed = new Set();
    }
    return done;
  }
}

describe('a client that lists in pages and then follows the changes', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    // Shrinking a failure takes rounds of its own.
    const owners = Array.from({ length: 20 * rounds }, (_, round) => [organizer(round), guest(round)]).flat();
    gateway = await startEvents({ seed: { calendars: owners.map((owner) => ({ id: owner, owner, timeZone: berlin })) } });
  });
  afterAll(() => gateway.close());

  /** Makes one change; what cannot be changed just then stays as it is. */
  async function make({ kind, of }: Change, round: number, ids: string[], count: number): Promise<void> {
    const [as, its] = [organizer(round), guest(round)];
    const attendees = [{ email: its }];
    if (kind === 'insert' || kind === 'guest inserts' || ids.length === 0) {
      const by = kind === 'guest inserts' ? its : as;
      ids.push((await gateway.insert({ ...hour, attendees }, { as: by })).event.id);
      return;
    }
    const id = ids[of % ids.length] as string;
    const changes: Record<Exclude<Change['kind'], 'insert' | 'guest inserts'>, [object, string]> = {
      edit: [{ summary: `edit ${count}` }, as],
      answer: [{ attendeesOmitted: true, attendees: [{ email: its, comment: `answer ${count}` }] }, its],
      colour: [{ colorId: String((count % 11) + 1) }, count % 3 === 0 ? as : its],
      cancel: [{ status: 'cancelled' }, as],
      restore: [{ status: 'confirmed' }, as],
      'take off the list': [{ attendees: [] }, as],
      invite: [{ attendees }, as],
      'guest removes': [{ status: 'cancelled' }, its],
      'guest restores': [{ status: 'confirmed' }, its],
    };
    const [body, by] = changes[kind];
    await gateway.patch(id, body, { as: by });
  }

  test('misses nothing and lists nothing twice, whatever changes meanwhile and however long the pages are', async () => {
    let round = -1;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), fc.boolean(), async (steps, asGuest) => {
        round += 1;
        const as = asGuest ? guest(round) : organizer(round);
        const follower = new Follower((variables) => list(gateway, { as, ...variables }));
        const ids: string[] = [];
        for (let start = 0; start < 5; start += 1) await make({ kind: 'insert', of: 0 }, round, ids, 0);
        for (const [count, next] of steps.entries()) {
          if (typeof next === 'number') await follower.read(next);
          else await make(next, round, ids, count);
        }
        for (let left = 500; !(await follower.read(3)); left -= 1) expect(left).toBeGreaterThan(0);
        const { nodes } = await list(gateway, { as, first: 2500 });
        expect([...follower.known.values()]).toEqual(expect.arrayContaining(nodes));
        expect(follower.known.size).toBe(nodes.length);
        for (const event of nodes) expect((await gateway.read(event.id, { as })).event).toMatchObject(event);
      }),
      { numRuns: rounds },
    );
  }, 120_000);
});
