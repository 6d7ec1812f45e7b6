import { createMemoryEventStore } from '../../../src/adapters/memory/event-store.ts';
import { eventListContract } from '../../contracts/event-list.contract.ts';
import { eventStoreContract } from '../../contracts/event-store.contract.ts';
import { at, change, newStamp, sampleEvent, startOfTime, type SampleEvent } from '../../contracts/event-store.samples.ts';

eventStoreContract('the memory', createMemoryEventStore);
eventListContract('the memory', createMemoryEventStore);

/** An event that counts how often a store looks into it. */
function watched(id: string, looks: Map<string, number>): SampleEvent {
  const { copies, key, coreStamp, ...rest } = sampleEvent(id, ['work']);
  const look = <T>(value: T): T => {
    looks.set(id, (looks.get(id) ?? 0) + 1);
    return value;
  };
  return Object.defineProperties({ ...rest } as SampleEvent, {
    copies: { get: () => look(copies), enumerable: true },
    key: { get: () => look(key), enumerable: true },
    coreStamp: { get: () => look(coreStamp), enumerable: true },
  });
}

describe('among 10,000 events the memory', () => {
  const looks = new Map<string, number>();
  const store = createMemoryEventStore<SampleEvent>(() => startOfTime);
  beforeAll(async () => {
    for (let index = 0; index < 10_000; index += 1) await store.insertEvent(watched(`e${index}`, looks));
  });
  beforeEach(() => looks.clear());

  test('looks into one only to change it', async () => {
    await change(store, at('work', 'e5000'), { title: 'changed' });
    expect([...looks.keys()]).toEqual(['e5000']);
  });

  test('looks into no other to insert one', async () => {
    await store.insertEvent(watched('new', looks));
    expect([...looks.keys()]).toEqual(['new']);
  });

  test('looks into the holder of a place only to find it taken', async () => {
    const outcome = await store.insertEvent(sampleEvent('e7', ['work'], { coreStamp: newStamp() }));
    expect([outcome.kind, [...looks.keys()].filter((id) => id !== 'e7')]).toEqual(['taken', []]);
  });

  test('looks into none to read one, or to list a page', async () => {
    expect(await store.events([at('work', 'e9999'), at('work', 'none')])).toEqual([expect.anything(), undefined]);
    looks.clear();
    expect((await store.listEvents({ calendarId: 'work', after: 5000, limit: 10 }))?.entries).toHaveLength(10);
    expect([...looks.keys()]).toEqual([]);
  });
});

test('a mark of another process, or of changes still to come, has no answer', async () => {
  const [one, other] = [createMemoryEventStore<SampleEvent>(() => 0), createMemoryEventStore<SampleEvent>(() => 0)];
  const since = (await one.listEvents({ calendarId: 'work', limit: 1 }))?.mark;
  expect(await one.listEvents({ calendarId: 'work', limit: 1, since })).toBeDefined();
  expect(await one.listEvents({ calendarId: 'work', limit: 1, since: `${since}1` })).toBeUndefined();
  expect(await other.listEvents({ calendarId: 'work', limit: 1, since })).toBeUndefined();
});
