import { startGateway, type TestGateway } from '../harness.ts';

const [alice, bob, eve] = ['alice@example.com', 'bob@example.com', 'eve@elsewhere.example'];
const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
const seed = {
  calendars: [
    {
      id: alice,
      owner: alice,
      timeZone: 'UTC',
      events: [
        { id: 'hidden', ...day, guestsCanSeeOtherGuests: false, attendees: [{ email: bob }, { email: eve }] },
        { id: 'series', start: { date: '2026-12-01' }, end: { date: '2026-12-02' }, recurrence: ['RRULE:FREQ=DAILY'], attendees: [{ email: bob }] },
      ],
    },
    { id: bob, owner: bob, timeZone: 'UTC' },
    { id: 'zoe@bücher.example', owner: 'zoe@bücher.example', timeZone: 'UTC' },
  ],
};

/** Promises that were broken once, each as a client met it. */
describe('promises', () => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await startGateway({}, { seed });
  });
  afterEach(() => gateway.close());

  const insert = `mutation ($event: EventInput!, $requestId: String, $validateOnly: Boolean) {
    insertEvent(calendarId: "primary", event: $event, requestId: $requestId, validateOnly: $validateOnly) { id location }
  }`;
  const codes = (answer: Awaited<ReturnType<TestGateway['ask']>>) =>
    (answer.errors ?? []).map(({ extensions }) => `${extensions.code} ${extensions.reason}`);

  test('inviting a hidden guest looks like inviting anybody else', async () => {
    const invite = `mutation ($email: String!) { patchEvent(calendarId: "primary", eventId: "hidden", validateOnly: true,
      event: { attendees: [{ email: "${bob}" }, { email: $email }] }) { etag attendees { email } } }`;
    const before = (await gateway.ask('{ event(calendarId: "primary", eventId: "hidden") { etag } }', {}, { as: bob })).data.event;
    for (const email of [eve, 'nobody@elsewhere.example']) {
      const answer = await gateway.ask(invite, { email }, { as: bob });
      expect(answer.data.patchEvent.attendees).toEqual([{ email: bob }]);
      expect(answer.data.patchEvent.etag).not.toBe(before.etag);
    }
  });

  test('every field that failed has its error, however many there are', async () => {
    const fields = Array.from({ length: 60 }, (_, index) => `a${index}: event(calendarId: "primary", eventId: "none") { id }`);
    const answer = await gateway.ask(`{ ${fields.join(' ')} }`);
    expect(answer.errors).toHaveLength(60);
    expect(new Set(answer.errors?.map(({ path }) => path?.[0])).size).toBe(60);
  });

  test('validateOnly looks at the request id too, and keeps nothing', async () => {
    const first = await gateway.ask(insert, { event: day, requestId: 'r' });
    const other = { ...day, summary: 'Other' };
    expect(codes(await gateway.ask(insert, { event: other, requestId: 'r', validateOnly: true }))).toEqual(['CONFLICT requestIdReused']);
    const again = await gateway.ask(insert, { event: { ...day, location: null }, requestId: 'r', validateOnly: true });
    expect(again.data).toEqual(first.data);
    await gateway.ask(insert, { event: day, requestId: 's', validateOnly: true });
    expect(codes(await gateway.ask(insert, { event: other, requestId: 's' }))).toEqual([]);
  });

  test('an entry without an address is not dropped without a word', async () => {
    const patch = `mutation { patchEvent(calendarId: "primary", eventId: "hidden", event: { attendeesOmitted: true, attendees: [{}] }) { id } }`;
    const answer = await gateway.ask(patch, {}, { as: bob });
    expect(answer.warnings).toMatchObject([{ path: ['event', 'attendees', 0], reason: 'ignored' }]);
  });

  test('only the organizer of a series adds to it', async () => {
    const event = { ...day, recurringEventId: 'series', originalStartTime: { date: '2026-12-01' } };
    expect(codes(await gateway.ask(insert, { event }, { as: bob }))).toEqual(['FORBIDDEN forbiddenForNonOrganizer']);
    expect(codes(await gateway.ask(insert, { event }))).toEqual([]);
  });

  test('an address is the same in each of its spellings, for guests, callers and owners', async () => {
    const event = { ...day, attendees: [{ email: 'Zoe@xn--bcher-kva.example' }] };
    const { id } = (await gateway.ask(insert, { event })).data.insertEvent;
    const seen = await gateway.ask(`{ event(calendarId: "primary", eventId: "${id}") { id } }`, {}, { as: 'zoe@xn--bcher-kva.example' });
    expect(seen.data).toEqual({ event: { id } });
  });

  test('a character is a character, wherever characters are counted', async () => {
    const patch = 'mutation ($event: EventInput!) { patchEvent(calendarId: "primary", eventId: "hidden", event: $event) { id } }';
    const fits = { description: '🐈'.repeat(8192), extendedProperties: { private: { ['🐈'.repeat(44)]: '🐈'.repeat(1024) } } };
    const above = { description: '🐈'.repeat(8193), extendedProperties: { private: { ['🐈'.repeat(45)]: '🐈'.repeat(1025) } } };
    expect((await gateway.ask(patch, { event: fits })).errors).toBeUndefined();
    expect((await gateway.ask(patch, { event: above })).errors?.[0]?.extensions.issues.map(({ reason }) => reason)).toEqual([
      'tooLong', 'tooLong', 'tooLong',
    ]);
  });

  test('a guest notice that cannot be sent does not undo the change it tells of', async () => {
    const broken = await startGateway({}, { seed, notifier: { notify: () => { throw new Error('no mail today'); } } });
    const patch = `mutation { patchEvent(calendarId: "primary", eventId: "hidden", sendUpdates: all, event: { summary: "New" }) { summary } }`;
    const answer = await broken.ask(patch);
    expect([answer.data, answer.errors]).toEqual([{ patchEvent: { summary: 'New' } }, undefined]);
    await broken.close();
  });
});
