import { setImmediate } from 'node:timers/promises';
import { makeMany, useEventGateway, type Outcome } from '../event/event.harness.ts';

/** Selects few fields, since many requests run concurrently. */
const patchMutation = `mutation ($id: String!, $ifMatch: String, $summary: String) {
  result: patchEvent(calendarId: "primary", eventId: $id, ifMatch: $ifMatch, event: { summary: $summary }) { summary etag updated }
}`;
const selectSucceeded = (outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.filter(({ problems }) => problems.length === 0);

describe('many concurrent patches of one event', () => {
  const gateway = useEventGateway();
  beforeAll(() => {
    // Delays the store, so that concurrent requests interleave as with a database.
    const store = gateway.stores.events as unknown as Record<string, (...inputs: unknown[]) => unknown>;
    for (const [name, method] of Object.entries(store)) {
      store[name] = async (...inputs) => {
        await setImmediate();
        const result = await method(...inputs);
        await setImmediate();
        return result;
      };
    }
  });
  const runConcurrently = (count: number, run: (index: number) => Promise<Outcome>) =>
    Promise.all(makeMany(count, run));

  test('with the same If-Match: one of 300 is applied, 299 are refused', async () => {
    const { id, etag } = await gateway.makeEvent();
    const outcomes = await runConcurrently(300, (index) =>
      gateway.run(patchMutation, { id, ifMatch: etag, summary: `${index}` }),
    );
    const [appliedOutcome, ...otherSuccesses] = selectSucceeded(outcomes);
    expect(otherSuccesses).toEqual([]);
    const refusedProblem = 'PRECONDITION_FAILED ifMatch conditionNotMet';
    expect(outcomes.filter(({ problems }) => problems[0] === refusedProblem)).toHaveLength(299);
    expect((await gateway.read(id)).event).toMatchObject(appliedOutcome?.event);
  });

  test('without a condition: all 300 are applied, each with a new etag', async () => {
    const { id } = await gateway.makeEvent();
    const outcomes = await runConcurrently(300, (index) =>
      gateway.run(patchMutation, { id, summary: `${index}` }),
    );
    expect(selectSucceeded(outcomes)).toHaveLength(300);
    expect(new Set(outcomes.map(({ event }) => event.etag)).size).toBe(300);
    const lastEvent = (await gateway.read(id)).event;
    expect(outcomes.map(({ event }) => event.etag)).toContain(lastEvent.etag);
    expect(outcomes.every(({ event }) => event.updated <= lastEvent.updated)).toBe(true);
  });

  test('of different fields: no change is lost in 40 rounds', async () => {
    const { id } = await gateway.makeEvent();
    for (let round = 0; round < 40; round += 1) {
      const [summary, location, value] = [`Round ${round}`, `Room ${round}`, `${round}`];
      await Promise.all([
        gateway.changeEvent(id, { summary, extendedProperties: { private: { a: value } } }),
        gateway.changeEvent(id, { location, extendedProperties: { private: { b: value } } }),
      ]);
      const extendedProperties = { private: { a: value, b: value } };
      expect((await gateway.read(id)).event).toMatchObject({ summary, location, extendedProperties });
    }
  });

  test('by aliases in one request: each sees the result of the previous one', async () => {
    const { id } = await gateway.makeEvent();
    const fields = makeMany(
      20,
      (index) =>
        `f${index}: patchEvent(calendarId: "primary", eventId: "${id}", event: { extendedProperties: { private: { k${index}: "v" } } }) { extendedProperties { private } }`,
    );
    const { data } = await gateway.ask(`mutation { ${fields.join(' ')} }`);
    for (const [index, patchedEvent] of Object.values(data as Record<string, Outcome['event']>).entries())
      expect(Object.keys(patchedEvent.extendedProperties.private)).toHaveLength(index + 1);
  });
});
