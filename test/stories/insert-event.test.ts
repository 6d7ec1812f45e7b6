import { SignJWT } from 'jose';
import { PlaceTakenError } from '../../src/event/event.store.ts';
import { alice, bob, calendars, documents, hour, startEvents, text, type EventGateway } from '../event/event-http.harness.ts';
import { allScopes, secret } from '../harness.ts';

const reused = ['CONFLICT requestId requestIdReused'];

describe('an insert with a requestId can be sent again', () => {
  let gateway: EventGateway;
  let now: number;
  beforeEach(async () => {
    now = Date.now();
    const [first, ...others] = calendars();
    const seed = { calendars: [{ ...first, acl: [{ email: bob, role: 'writer' }] }, ...others] };
    gateway = await startEvents([], { seed, clock: () => now });
  });
  afterEach(() => gateway.close());

  const count = async (): Promise<number> =>
    (await gateway.stores.events.listEvents({ calendarId: alice, limit: 500 }))?.entries.length ?? 0;

  test('the same input gives the first result and stores nothing more', async () => {
    const body = { ...hour, summary: 'Once' };
    const first = await gateway.insert(body, { requestId: 'r1' });
    const again = await gateway.insert(body, { requestId: 'r1' });
    expect(again.problems).toEqual([]);
    expect(again.event).toEqual(first.event);
    expect(await count()).toBe(1);
  });

  test('also after the event was changed, and the change stays', async () => {
    const first = await gateway.insert({ ...hour, summary: 'Once' }, { requestId: 'r1' });
    await gateway.patch(first.event.id, { summary: 'Changed' });
    expect((await gateway.insert({ ...hour, summary: 'Once' }, { requestId: 'r1' })).event).toEqual(first.event);
    expect((await gateway.read(first.event.id)).event.summary).toBe('Changed');
  });

  test('guests are told once', async () => {
    const told: unknown[] = [];
    const other = await startEvents([], { notifier: { notify: (notice) => told.push(notice) } });
    const body = { ...hour, attendees: [{ email: 'carol@elsewhere.example' }] };
    const options = { requestId: 'r1', sendUpdates: 'all' };
    expect((await other.insert(body, options)).guestsNotified).toBe(1);
    expect((await other.insert(body, options)).guestsNotified).toBe(0);
    expect(told).toHaveLength(1);
    await other.close();
  });

  test.each<[string, object, object]>([
    ['another body', { summary: 'Other' }, {}],
    ['another calendar', {}, { calendarId: bob, as: bob }],
    ['another control argument', {}, { sendUpdates: 'all' }],
  ])('%s is a conflict, and nothing is stored', async (_name, change, options) => {
    // Both calendars are open to Bob.
    const as = bob;
    await gateway.insert({ ...hour, summary: 'Once' }, { requestId: 'r1', as, calendarId: alice });
    const other = await gateway.insert(
      { ...hour, summary: 'Once', ...change },
      { requestId: 'r1', as, calendarId: alice, ...options },
    );
    expect(other.problems).toEqual(reused);
    expect(await count()).toBe(1);
  });

  test('another caller may use the same requestId', async () => {
    const mine = await gateway.insert(hour, { requestId: 'r1' });
    const bobs = await gateway.insert(hour, { requestId: 'r1', as: bob, calendarId: alice });
    expect(bobs.problems).toEqual([]);
    expect(bobs.event.id).not.toBe(mine.event.id);
  });

  test('a hundred at once give one event', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => gateway.insert(hour, { requestId: 'r1' })));
    expect(new Set(all.map(({ event }) => event?.id)).size).toBe(1);
    expect(await count()).toBe(1);
  });

  test('what was refused leaves the requestId free', async () => {
    expect((await gateway.insert({ start: hour.start }, { requestId: 'r1' })).problems).toEqual([
      'BAD_USER_INPUT event.end required',
    ]);
    expect(await count()).toBe(0);
    expect((await gateway.insert(hour, { requestId: 'r1' })).problems).toEqual([]);
    const second = await gateway.insert({ ...hour, id: 'chosen' }, { requestId: 'r2' });
    expect((await gateway.insert({ ...hour, id: 'chosen' }, { requestId: 'r3' })).problems).toEqual([
      'CONFLICT event.id duplicate',
    ]);
    expect((await gateway.insert({ ...hour, id: 'others' }, { requestId: 'r3' })).problems).toEqual([]);
    expect((await gateway.insert({ ...hour, id: 'chosen' }, { requestId: 'r2' })).event).toEqual(second.event);
  });

  test('a dry run leaves it free, too', async () => {
    expect((await gateway.insert(hour, { requestId: 'r1', validateOnly: true })).problems).toEqual([]);
    expect((await gateway.insert({ ...hour, summary: 'Real' }, { requestId: 'r1' })).problems).toEqual([]);
    expect(await count()).toBe(1);
  });

  test('it is remembered for 24 hours, and then forgotten', async () => {
    const token = await new SignJWT({ email: alice, scope: allScopes.join(' ') })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('lasting')
      .setExpirationTime('3 days')
      .sign(Buffer.from(secret));
    const insert = async (): Promise<string> => {
      const variables = { calendarId: alice, requestId: 'r1', event: hour };
      return (await gateway.ask(documents.insert, variables, { headers: { authorization: `Bearer ${token}` } })).data.result.id;
    };
    const first = await insert();
    now += 24 * 60 * 60 * 1000 - 1;
    expect(await insert()).toBe(first);
    now += 1;
    expect(await insert()).not.toBe(first);
  });

  test.each<[string, string, string[]]>([
    ['no character', '', ['BAD_USER_INPUT requestId invalid']],
    ['256 characters', text(256), []],
    ['257 characters', text(257), ['BAD_USER_INPUT requestId tooLong']],
  ])('a requestId of %s', async (_name, requestId, problems) => {
    expect((await gateway.insert(hour, { requestId })).problems).toEqual(problems);
  });

  test('its issues come with those of the body', async () => {
    expect((await gateway.insert({ start: hour.start }, { requestId: '' })).problems).toEqual([
      'BAD_USER_INPUT requestId invalid',
      'BAD_USER_INPUT event.end required',
    ]);
  });
});

describe('an event whose guests have calendars here', () => {
  let gateway: EventGateway;
  beforeEach(async () => {
    gateway = await startEvents();
  });
  afterEach(() => gateway.close());

  test('is stored also when a guest takes the same id at the same moment', async () => {
    const { insertEvent } = gateway.stores.events;
    let disturbances = 1;
    gateway.stores.events.insertEvent = async (record, mark) => {
      disturbances -= 1;
      if (disturbances === 0) await gateway.insert({ ...hour, id: 'same0', summary: 'Bob’s own' }, { as: bob });
      return insertEvent(record, mark);
    };
    const mine = await gateway.insert({ ...hour, id: 'same0', attendees: [{ email: bob }] });
    expect(mine.problems).toEqual([]);
    expect((await gateway.read('same0', { as: bob })).event.summary).toBe('Bob’s own');
    const bobs = await gateway.stores.events.listEvents({ calendarId: bob, limit: 5 });
    expect(bobs?.entries.map(({ record }) => record.homeId).sort()).toEqual([alice, bob]);
  });

  /** The store, as if another event took a guest's place in the last moment, so many times. */
  function disturbed(times: number): void {
    const { updateEvent } = gateway.stores.events;
    let left = times;
    gateway.stores.events.updateEvent = (place, decide) => {
      left -= 1;
      if (left >= 0) return Promise.reject(new PlaceTakenError('taken'));
      return updateEvent(place, decide);
    };
  }

  test.each([
    [3, []],
    [4, ['UNAVAILABLE event.attendees backendError']],
  ])('is changed after up to three such disturbances, not after a fourth: %d', async (times, problems) => {
    const { event } = await gateway.insert(hour);
    disturbed(times);
    const patched = await gateway.patch(event.id, { attendees: [{ email: bob }] });
    expect(patched.problems).toEqual(problems);
    expect(patched.status).toBe(times === 3 ? 200 : 503);
  });

  test('a fault of the store itself is not tried again', async () => {
    const { event } = await gateway.insert(hour);
    let calls = 0;
    gateway.stores.events.updateEvent = () => Promise.reject(new Error(`call ${(calls += 1)}`));
    expect((await gateway.patch(event.id, {})).problems).toEqual(['INTERNAL_SERVER_ERROR internalError']);
    expect(calls).toBe(1);
  });
});
