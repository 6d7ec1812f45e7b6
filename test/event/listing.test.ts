import { alice, berlin, hour, startEvents, type EventGateway } from './event-http.harness.ts';
import { listShort, syncTokenOf, twoCalendars } from './list.harness.ts';

const env = { SIGNING_SECRET: 'a secret that more than one process may share' };
const seed = twoCalendars(berlin, ['one', 'two', 'three'].map((id) => ({ id: `event${id}`, ...hour })));

describe('a client that goes on with the next process, which has the same secret and other events', () => {
  let [first, second]: EventGateway[] = [];
  const gateways = () => [first, second] as [EventGateway, EventGateway];
  beforeEach(async () => {
    first = await startEvents([], { seed }, env);
    second = await startEvents([], { seed: { calendars: [...seed.calendars].reverse() } }, env);
  });
  afterEach(() => Promise.all(gateways().map((gateway) => gateway.close())));

  test('is told to begin again when its cursor is from before: what it counts may not be there any more', async () => {
    const [before, after] = gateways();
    const { endCursor } = await listShort(before, { first: 1 });
    const { problems, answer } = await listShort(after, { after: endCursor });
    expect(problems).toEqual(['BAD_USER_INPUT after invalid']);
    expect(answer.errors?.[0]?.message).toContain('Leave it out to begin again');
    expect(answer.event).toBeNull();
    expect((await listShort(before, { after: endCursor })).ids).toEqual(['eventtwo', 'eventthree']);
  });

  test('is told to leave out a token from before, also with a cursor', async () => {
    const [before, after] = gateways();
    const syncToken = await syncTokenOf(before);
    await before.patch('eventone', { summary: 'Other' });
    await before.patch('eventtwo', { summary: 'Other' });
    const { endCursor, ids } = await listShort(before, { syncToken, first: 1 });
    expect(ids).toEqual(['eventone']);
    expect((await listShort(before, { syncToken, after: endCursor })).ids).toEqual(['eventtwo']);
    expect((await listShort(after, { syncToken })).problems).toEqual(['BAD_USER_INPUT syncToken invalid']);
    expect((await listShort(after, { syncToken, after: endCursor })).problems).toHaveLength(1);
  });

  test('gets the calendar as it is with neither', async () => {
    const [, after] = gateways();
    expect(await listShort(after, { as: alice })).toMatchObject({ problems: [], ids: ['eventone', 'eventtwo', 'eventthree'], nextSyncToken: expect.any(String) });
  });
});
