import { hour, zoned } from '../event/event.harness.ts';
import { startFront, type Front } from './services/front.ts';

const [alice, bob] = ['alice@example.com', 'bob@example.com'];
const daily = { ...zoned, summary: 'Daily', recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] };
const within = 'timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-03T00:00:00Z"';

// The services as their reference describes them: what is as usual is left out, nothing is null, lists come in pages.
describe('in front of services as they are documented', () => {
  let front: Front;
  beforeEach(async () => {
    front = await startFront();
    front.services.events.roles.set(bob, new Map([[alice, 'reader']]));
  });
  afterEach(() => front.close());

  async function ask(query: string, as = alice) {
    const { data, errors } = await front.gateway.ask(query, {}, { as });
    return { ...data, problems: errors?.map(({ extensions: { code, reason } }) => `${code} ${reason}`) };
  }
  const list = async (args: string, as = alice) =>
    (
      await ask(
        `{ events(calendarId: "primary", ${args}) { nodes { id status summary transparency guestsCanInviteOthers } pageInfo { hasNextPage endCursor } nextSyncToken } }`,
        as,
      )
    ).events;
  const idsOf = ({ nodes }: { readonly nodes: readonly { readonly id: string }[] }): string[] =>
    nodes.map(({ id }) => id);

  test('events are read with their defaults', async () => {
    const made = await front.gateway.make({ summary: 'Plan' });
    expect(made).toMatchObject({
      summary: 'Plan',
      transparency: 'opaque',
      guestsCanModify: false,
      guestsCanInviteOthers: true,
      visibility: 'default',
      attendees: null,
      organizer: { email: alice, self: true },
    });
    expect(await front.gateway.on(alice, made.id)).toEqual(made);
    expect((await list('first: 5')).nodes).toEqual([
      {
        id: made.id,
        status: 'confirmed',
        summary: 'Plan',
        transparency: 'opaque',
        guestsCanInviteOthers: true,
      },
    ]);
  });

  test('pages of a list go over those of the service, and each event is there once', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await front.gateway.make()).id);
    const found: string[] = [];
    for (let after = 'null'; ;) {
      const page = await list(`first: 2, after: ${after}`);
      found.push(...idsOf(page));
      expect(page.nextSyncToken === null).toBe(page.pageInfo.hasNextPage);
      if (!page.pageInfo.hasNextPage) break;
      after = `"${page.pageInfo.endCursor}"`;
    }
    expect(found).toEqual(ids);
  });

  test('a sync token tells what has changed since, and one that has expired is told as such', async () => {
    const [kept, changed, gone] = [
      await front.gateway.make(),
      await front.gateway.make(),
      await front.gateway.make(),
    ];
    const { nextSyncToken } = await list('first: 10');
    await front.gateway.change(changed.id, { summary: 'New' });
    await ask(`mutation { deleteEvent(calendarId: "primary", eventId: "${gone.id}") }`);
    const { nodes } = await list(`syncToken: "${nextSyncToken}"`);
    expect(nodes.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [changed.id, 'confirmed'],
      [gone.id, 'cancelled'],
    ]);
    expect(idsOf({ nodes })).not.toContain(kept.id);
    front.services.events.forget();
    expect(
      (await ask(`{ events(calendarId: "primary", syncToken: "${nextSyncToken}") { nodes { id } } }`))
        .problems,
    ).toEqual(['BAD_USER_INPUT invalid']);
  });

  test('a series is listed by its instances, and one of them is changed alone', async () => {
    const { id } = await front.gateway.make(daily);
    const second = `${id}_20261202T090000Z`;
    await front.gateway.change(second, { summary: 'Another' });
    expect(
      (await list(`singleEvents: true, orderBy: startTime, ${within}`)).nodes.map(
        ({ summary }: { summary: string }) => summary,
      ),
    ).toEqual(['Daily', 'Another']);
    const { instances } = await ask(
      `{ instances(calendarId: "primary", eventId: "${id}") { nodes { id recurringEventId } } }`,
    );
    expect(instances.nodes).toHaveLength(4);
    expect(instances.nodes[1]).toEqual({ id: second, recurringEventId: id });
  });

  test('calendars and busy times are told, and what may not be seen is missing', async () => {
    await front.gateway.make(hour);
    const { calendars } = await ask('{ calendars { id accessRole primary } }');
    expect(calendars).toEqual([
      { id: alice, accessRole: 'owner', primary: true },
      { id: bob, accessRole: 'reader', primary: false },
    ]);
    const { freeBusy } = await ask(
      `{ freeBusy(${within}, calendarIds: ["primary", "carol@example.com"]) { calendarId busy { start end } error { code } } }`,
    );
    expect(freeBusy).toEqual([
      { calendarId: 'primary', busy: [{ start: hour.start.dateTime, end: hour.end.dateTime }], error: null },
      { calendarId: 'carol@example.com', busy: [], error: { code: 'NOT_FOUND' } },
    ]);
  });

  test('an id that no URL has room for, and a sync token that is empty, are none', async () => {
    front.services.called.length = 0;
    expect((await front.gateway.read('x'.repeat(5000))).problems).toEqual(['NOT_FOUND eventId notFound']);
    expect((await ask('{ events(calendarId: "primary", syncToken: "") { nodes { id } } }')).problems).toEqual(
      ['BAD_USER_INPUT invalid'],
    );
    expect(front.services.called).toEqual([]);
  });

  test('a cursor is the same wherever a page shows it', async () => {
    await front.gateway.make();
    const { events } = await ask(
      '{ events(calendarId: "primary") { edges { cursor } pageInfo { startCursor endCursor } } }',
    );
    expect(events.pageInfo).toEqual({
      startCursor: events.edges[0].cursor,
      endCursor: events.edges[0].cursor,
    });
  });

  test('beside the own answer nothing of a guest list is applied, whatever it is', async () => {
    const { id } = await front.gateway.make({ attendees: [{ email: alice }, { email: bob }] });
    const { problems, notes, event } = await front.gateway.patch(id, {
      attendeesOmitted: true,
      attendees: [{}, { email: alice, responseStatus: 'accepted' }],
    });
    expect([problems, notes, event.attendees[0].responseStatus]).toEqual([
      [],
      ['event.attendees.0 ignored'],
      'accepted',
    ]);
  });

  test('a trial says that its requestId was used for another insert', async () => {
    await front.gateway.insert(hour, { requestId: 'r' });
    for (const validateOnly of [true, false])
      expect(
        (await front.gateway.insert({ ...hour, summary: 'Other' }, { requestId: 'r', validateOnly }))
          .problems,
      ).toEqual(['CONFLICT requestId requestIdReused']);
  });

  test("rights are the service's", async () => {
    expect((await front.gateway.insert(hour, { calendarId: bob })).problems).toEqual([
      'FORBIDDEN calendarId forbidden',
    ]);
    expect((await front.gateway.insert(hour, { calendarId: 'carol@example.com' })).problems).toEqual([
      'NOT_FOUND calendarId notFound',
    ]);
  });

  test('notifications and buckets are those of the service', async () => {
    const { insertNotification: made } = await ask(
      'mutation { insertNotification(bucket: "photos", notification: { topic: "projects/my-project/topics/photos", payload_format: NONE }) { id topic payload_format event_types } }',
    );
    expect(made).toEqual({
      id: '1',
      topic: '//pubsub.googleapis.com/projects/my-project/topics/photos',
      payload_format: 'NONE',
      event_types: null,
    });
    expect((await ask('{ notifications(bucket: "photos") { id } }')).notifications).toEqual([{ id: '1' }]);
    expect(await ask('mutation { deleteNotification(bucket: "photos", notificationId: "1") }')).toMatchObject(
      { deleteNotification: true },
    );
    expect((await ask('{ notification(bucket: "photos", notificationId: "1") { id } }')).problems).toEqual([
      'NOT_FOUND notFound',
    ]);
    expect((await ask('{ bucket(bucket: "photos") { name } }')).bucket).toMatchObject({ name: 'photos' });
    expect((await ask('{ notifications(bucket: "none") { id } }')).problems).toEqual(['NOT_FOUND notFound']);
  });
});
