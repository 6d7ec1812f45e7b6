import { setImmediate } from 'node:timers/promises';
import { alice, hour, startEvents, type EventGateway, type Outcome } from '../event/event-http.harness.ts';

const failed = 'PRECONDITION_FAILED ifMatch conditionNotMet';
/** A small answer, for many requests at once. */
const brief = `mutation ($id: String!, $ifMatch: String, $summary: String) {
  result: patchEvent(calendarId: "primary", eventId: $id, ifMatch: $ifMatch, event: { summary: $summary }) { summary etag updated }
}`;
const succeeded = (outcomes: readonly Outcome[]): Outcome[] => outcomes.filter(({ problems }) => problems.length === 0);

describe('patches of one event', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
    // A store that answers after others had their turn, as one behind a network does.
    const { events } = gateway.stores.events;
    gateway.stores.events.events = async (places) => {
      const found = await events(places);
      await setImmediate();
      return found;
    };
  });
  afterAll(() => gateway.close());

  const fresh = async () => (await gateway.insert(hour)).event;
  const atOnce = <T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => run(index)));

  describe('ifMatch', () => {
    test('the stored etag and * are met, no condition is one, too', async () => {
      const { id, etag } = await fresh();
      expect((await gateway.patch(id, { summary: 'a' }, { ifMatch: etag })).event.summary).toBe('a');
      expect((await gateway.patch(id, { summary: 'b' }, { ifMatch: '*' })).event.summary).toBe('b');
      expect((await gateway.patch(id, { summary: 'c' }, { ifMatch: null })).event.summary).toBe('c');
    });

    test.each<[string, (etag: string) => string]>([
      ['an older etag', (etag) => etag],
      ['one made up', () => '"1"'],
      ['one without quotes', (etag) => etag.slice(1, -1)],
      ['none at all', () => ''],
    ])('%s is not met: nothing is stored, and the error tells what to do', async (_name, of) => {
      const { id, etag } = await fresh();
      await gateway.patch(id, { summary: 'Newer' });
      const before = await gateway.stored(id);
      const refused = await gateway.patch(id, { summary: 'Mine' }, { ifMatch: of(etag) });
      expect(refused.problems).toEqual([failed]);
      expect(refused.status).toBe(200);
      expect(refused.errors?.[0]?.message).toContain('Read it again');
      expect(await gateway.stored(id)).toBe(before);
    });

    test('the etag of a patch is the one to send with the next', async () => {
      let { id, etag } = await fresh();
      for (const summary of ['a', 'b', 'c']) {
        const patched = await gateway.patch(id, { summary }, { ifMatch: etag });
        expect(patched.problems).toEqual([]);
        expect((await gateway.read(id)).event.etag).toBe(patched.event.etag);
        ({ id, etag } = patched.event);
      }
    });

    test('an etag inside the body is no condition', async () => {
      const { id } = await fresh();
      expect((await gateway.patch(id, { summary: 'a', etag: '"old"' })).problems).toEqual([]);
    });
  });

  test('of 1,000 at once with one etag, one is applied and 999 are refused', async () => {
    const { id, etag } = await fresh();
    const all = await atOnce(1000, (index) => gateway.run(brief, { id, ifMatch: etag, summary: `${index}` }));
    const [applied, ...more] = succeeded(all);
    expect(more).toEqual([]);
    expect(all.filter(({ problems }) => problems[0] === failed)).toHaveLength(999);
    expect((await gateway.read(id)).event).toMatchObject(applied?.event);
  }, 60_000);

  test('of 1,000 at once without a condition, all are applied, each with an etag of its own', async () => {
    const { id } = await fresh();
    const all = await atOnce(1000, (index) => gateway.run(brief, { id, summary: `${index}` }));
    expect(succeeded(all)).toHaveLength(1000);
    expect(new Set(all.map(({ event }) => event.etag)).size).toBe(1000);
    const last = (await gateway.read(id)).event;
    expect(all.map(({ event }) => event.etag)).toContain(last.etag);
    expect(all.every(({ event }) => event.updated <= last.updated)).toBe(true);
  }, 60_000);

  test('two at once of different fields: neither is lost, in 40 rounds', async () => {
    const { id } = await fresh();
    for (let round = 0; round < 40; round += 1) {
      const [summary, value] = [`Round ${round}`, `${round}`];
      const both = await Promise.all([
        gateway.patch(id, { summary, extendedProperties: { private: { a: value } } }),
        gateway.patch(id, { location: `Room ${round}`, extendedProperties: { private: { b: value } } }),
      ]);
      expect(succeeded(both)).toHaveLength(2);
      expect((await gateway.read(id)).event).toMatchObject({
        summary,
        location: `Room ${round}`,
        extendedProperties: { private: { a: value, b: value } },
      });
    }
  });

  test('several in one operation run in order, and one that fails leaves the others', async () => {
    const { id } = await fresh();
    const answer = await gateway.ask(
      `mutation ($id: String!) {
        first: patchEvent(calendarId: "primary", eventId: $id, event: { summary: "a" }) { summary }
        wrong: patchEvent(calendarId: "primary", eventId: $id, event: { summary: "b", colorId: "99" }) { summary }
        missing: patchEvent(calendarId: "primary", eventId: "nowhere", event: {}) { summary }
        last: patchEvent(calendarId: "primary", eventId: $id, event: { location: "x", etag: "old" }) { summary location }
      }`,
      { id },
      { as: alice },
    );
    expect(answer.data).toEqual({ first: { summary: 'a' }, wrong: null, missing: null, last: { summary: 'a', location: 'x' } });
    expect(answer.errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['wrong'], 'BAD_USER_INPUT'],
      [['missing'], 'NOT_FOUND'],
    ]);
    expect(answer.warnings).toMatchObject([{ field: 'last', path: ['event', 'etag'], reason: 'readOnly' }]);
    expect(answer.guestsNotified).toBeUndefined();
  });
});
