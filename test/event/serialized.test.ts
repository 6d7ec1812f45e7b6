import { WorkBudget } from '../../src/core/runtime/work-budget.ts';
import { createCalendarLoader } from '../../src/calendar/calendar.loaders.ts';
import { createCalendarService } from '../../src/calendar/calendar.service.ts';
import { createEventService } from '../../src/event/event.service.ts';
import { eventFields } from '../../src/event/model/fields.ts';
import { compileModel } from '../../src/event/model/model.ts';
import { createNotificationService } from '../../src/notification/notification.service.ts';
import { everyField } from '../selections.ts';
import {
  alice,
  bob,
  carol,
  eve,
  fritz,
  people,
  popup,
  rita,
  startEvents,
  sten,
  wanda,
  withoutNulls,
  zoned,
  type EventGateway,
} from './event.harness.ts';

const full = {
  ...zoned,
  summary: 'Plan',
  description: 'Secret',
  location: 'Room',
  colorId: '3',
  sequence: 2,
  source: { title: 'Tracker', url: 'https://tracker.example' },
  extendedProperties: { private: { own: '1' }, shared: { all: '2' } },
  reminders: { useDefault: false, overrides: [popup(5)] },
  attendees: [{ email: bob }, { email: carol }, { email: eve, displayName: 'Eve', comment: 'Yes' }],
};

/** What a service gives back is what its caller may know: nothing else can be reached by writing it as JSON. */
describe('what services give back, as JSON', () => {
  let gateway: EventGateway;
  let ids: string[];
  beforeAll(async () => {
    const [first, ...others] = people();
    gateway = await startEvents({
      seed: {
        calendars: [first, ...others],
        buckets: [
          {
            name: 'photos',
            project: 'demo',
            managers: [alice],
            notifications: [{ topic: 'projects/demo-project/topics/photos', custom_attributes: { a: 'b' } }],
          },
        ],
      },
    });
    const { id: series } = await gateway.make({
      ...full,
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      guestsCanSeeOtherGuests: false,
    });
    const bodies = [
      full,
      { ...full, guestsCanSeeOtherGuests: false },
      { ...full, visibility: 'private' },
      { ...full, visibility: 'confidential', guestsCanSeeOtherGuests: false },
      { ...full, status: 'cancelled' },
    ];
    ids = [series, `${series}_20261202T090000Z`];
    for (const body of bodies) ids.push((await gateway.make(body)).id);
    await gateway.change(`${series}_20261202T090000Z`, { summary: 'Changed' });
    await gateway.change(ids[2] as string, { attendees: [{ email: carol }] });
  });
  afterAll(() => gateway.close());
  const viewer = (identity: string) => ({
    identity,
    key: identity,
    sub: identity,
    scopes: new Set<string>(),
  });

  test.each([alice, bob, carol, wanda, rita, fritz, sten])(
    'are what GraphQL answers to %s with all fields',
    async (as) => {
      const tools = {
        model: compileModel(eventFields),
        clock: Date.now,
        signingSecret: 'x'.repeat(32),
        mails: false,
        links: { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' },
      };
      const { calendars, events: store } = gateway.stores;
      const readCalendar = createCalendarLoader(calendars);
      const events = createEventService({
        store,
        calendars,
        readCalendar,
        notifier: { notify: () => undefined },
        tools,
      });
      let compared = 0;
      for (const calendarId of [alice, bob, carol]) {
        for (const eventId of ids) {
          const { event } = await gateway.read(eventId, { as, calendarId });
          const view = await events.getEvent(viewer(as), { calendarId, eventId }, {}).catch(() => null);
          expect(JSON.parse(JSON.stringify(view))).toEqual(withoutNulls(event ?? null));
          if (view) compared += 1;
        }
        const list = await events
          .listEvents(viewer(as), { calendarId, singleEvents: true, showDeleted: true }, {}, new WorkBudget())
          .catch(() => null);
        const { data } = await gateway.ask(
          `{ events(calendarId: "${calendarId}", singleEvents: true, showDeleted: true) { nodes ${everyField('Event')} } }`,
          {},
          { as },
        );
        expect(JSON.parse(JSON.stringify(list?.edges.map(({ node }) => node) ?? null))).toEqual(
          withoutNulls(data.events?.nodes ?? null),
        );
      }
      const { data } = await gateway.ask(`{ calendars ${everyField('Calendar')} }`, {}, { as });
      expect(
        JSON.parse(
          JSON.stringify(
            await createCalendarService({
              store: calendars,
              readCalendar,
              makesPrimaries: false,
              beginJob: () => Promise.resolve(),
              clock: Date.now,
              idHost: 'h',
              timeZone: 'UTC',
            }).listCalendars(viewer(as), {}),
          ),
        ),
      ).toEqual(withoutNulls(data.calendars));
      expect(compared > 0).toBe(as !== sten);
    },
  );

  test('are the parameters of a notification', async () => {
    const notifications = createNotificationService({
      buckets: gateway.stores.buckets,
      store: gateway.stores.notifications,
      clock: Date.now,
      pubsubHost: 'p',
      storageHost: 's',
    });
    const found = await notifications.listNotifications(viewer(alice), { bucket: 'photos' }, {});
    const { data } = await gateway.ask(`{ notifications(bucket: "photos") ${everyField('Notification')} }`);
    expect(JSON.parse(JSON.stringify(found))).toEqual(withoutNulls(data.notifications));
  });
});
