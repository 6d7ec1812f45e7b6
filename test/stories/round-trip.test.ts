import { demoSeed } from '../harness.ts';
import {
  alice,
  bob,
  startEvents,
  wanda,
  withoutNulls,
  type EventGateway,
  type Shown,
} from '../event/event.harness.ts';

/** The demo's calendars; Wanda may write to both. */
const writer = { email: wanda, role: 'writer' };
const calendars = demoSeed.calendars.map((one) => ({ ...one, acl: [...one.acl, writer] }));
const listing =
  'query ($calendarId: String!) { result: events(calendarId: $calendarId, showDeleted: true, first: 2500) { nodes { id } } }';
const everywhere = [
  ...['teammeeting', 'holiday', 'standup', 'standup_20261203T080000Z', 'review', 'callabroad', 'dentist'],
  ...['offsite', 'workshop', 'launch'],
];

describe('an event as it was returned goes back in', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents({ seed: { ...demoSeed, calendars } });
  });
  afterAll(() => gateway.close());
  const idsOn = async (calendarId: string): Promise<string[]> =>
    (await gateway.run(listing, { calendarId }, calendarId)).event.nodes.map(({ id }: Shown) => id);

  test('all demo events are among those tried', async () => {
    expect(await idsOn(alice)).toEqual(expect.arrayContaining(everywhere));
    const ofBob = ['lunch', 'training', 'teammeeting', 'workshop', 'launch'];
    expect(await idsOn(bob)).toEqual(expect.arrayContaining(ofBob));
  });

  const flags = [{}, { supportsAttachments: true, conferenceDataVersion: 1 }];
  describe.each([
    [alice, alice],
    [wanda, alice],
    [bob, bob],
    [wanda, bob],
  ])('by %s on the calendar of %s', (as, calendarId) => {
    test.each([
      ['with', (event: Shown) => event],
      ['without', (event: Shown) => withoutNulls(event) as object],
    ])('%s its nulls it changes nothing and warns of nothing', async (_nulls, body) => {
      for (const id of await idsOn(calendarId)) {
        const event = await gateway.on(calendarId, id, as);
        for (const controls of flags)
          expect(await gateway.change(id, body(event), { as, calendarId, ...controls })).toEqual(event);
        expect(await gateway.on(calendarId, id, as)).toEqual(event);
      }
    });

    test('as it is shown with made-up addresses and a cut list, too', async () => {
      for (const id of await idsOn(calendarId)) {
        const view = { as, calendarId, alwaysIncludeEmail: true, maxAttendees: 1 };
        const { event } = await gateway.read(id, view);
        expect(await gateway.change(id, event, view)).toEqual(event);
      }
    });

    test('with another colour it changes that, the etag and the time', async () => {
      for (const id of await idsOn(calendarId)) {
        const event = await gateway.on(calendarId, id, as);
        if (event.status === 'cancelled') continue;
        const colorId = event.colorId === '9' ? '10' : '9';
        const controls = { as, calendarId };
        const { etag, updated, ...rest } = await gateway.change(id, { ...event, colorId }, controls);
        expect({ ...rest, etag, updated }).toEqual({ ...event, colorId, etag, updated });
        expect([etag === event.etag, updated > event.updated]).toEqual([false, true]);
      }
    });
  });
});
