import { setImmediate } from 'node:timers/promises';
import { many, useEvents, type Outcome } from '../event/event.harness.ts';

/** A small answer, for many requests at once. */
const brief = `mutation ($id: String!, $ifMatch: String, $summary: String) {
  result: patchEvent(calendarId: "primary", eventId: $id, ifMatch: $ifMatch, event: { summary: $summary }) { summary etag updated }
}`;
const succeeded = (outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.filter(({ problems }) => problems.length === 0);

describe('many patches of one event at once', () => {
  const gateway = useEvents();
  beforeAll(() => {
    // A store that answers after others had their turn, as one behind a network does.
    const store = gateway.stores.events as unknown as Record<string, (...inputs: unknown[]) => unknown>;
    for (const [name, method] of Object.entries(store)) {
      store[name] = async (...inputs) => {
        await setImmediate();
        const found = await method(...inputs);
        await setImmediate();
        return found;
      };
    }
  });
  const atOnce = (count: number, run: (index: number) => Promise<Outcome>) => Promise.all(many(count, run));

  test('of 300 with one etag, one is applied and 299 are refused', async () => {
    const { id, etag } = await gateway.make();
    const all = await atOnce(300, (index) => gateway.run(brief, { id, ifMatch: etag, summary: `${index}` }));
    const [applied, ...more] = succeeded(all);
    expect(more).toEqual([]);
    const refused = 'PRECONDITION_FAILED ifMatch conditionNotMet';
    expect(all.filter(({ problems }) => problems[0] === refused)).toHaveLength(299);
    expect((await gateway.read(id)).event).toMatchObject(applied?.event);
  });

  test('of 300 without a condition, all are applied, each with an etag of its own', async () => {
    const { id } = await gateway.make();
    const all = await atOnce(300, (index) => gateway.run(brief, { id, summary: `${index}` }));
    expect(succeeded(all)).toHaveLength(300);
    expect(new Set(all.map(({ event }) => event.etag)).size).toBe(300);
    const last = (await gateway.read(id)).event;
    expect(all.map(({ event }) => event.etag)).toContain(last.etag);
    expect(all.every(({ event }) => event.updated <= last.updated)).toBe(true);
  });

  test('of different fields: none is lost, in 40 rounds', async () => {
    const { id } = await gateway.make();
    for (let round = 0; round < 40; round += 1) {
      const [summary, location, value] = [`Round ${round}`, `Room ${round}`, `${round}`];
      await Promise.all([
        gateway.change(id, { summary, extendedProperties: { private: { a: value } } }),
        gateway.change(id, { location, extendedProperties: { private: { b: value } } }),
      ]);
      const extendedProperties = { private: { a: value, b: value } };
      expect((await gateway.read(id)).event).toMatchObject({ summary, location, extendedProperties });
    }
  });

  test('by aliases run in order, each on what the one before has left', async () => {
    const { id } = await gateway.make();
    const fields = many(
      20,
      (index) =>
        `f${index}: patchEvent(calendarId: "primary", eventId: "${id}", event: { extendedProperties: { private: { k${index}: "v" } } }) { extendedProperties { private } }`,
    );
    const { data } = await gateway.ask(`mutation { ${fields.join(' ')} }`);
    for (const [index, answer] of Object.values(data as Record<string, Outcome['event']>).entries())
      expect(Object.keys(answer.extendedProperties.private)).toHaveLength(index + 1);
  });
});
