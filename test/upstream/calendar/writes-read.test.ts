import { alice, bob, eve, hour, popup, type EventGateway } from '../../event/event.harness.ts';
import type { Json } from '../../../src/upstream/calendar/parts.ts';
import type { Between } from '../call-over.ts';
import { callAs, plain, saidOf, startFront, startService, type Front } from './writes.harness.ts';

// What is made of an event that is read before it is written.
describe('a change that needs the event', () => {
  let own: EventGateway, service: EventGateway, front: Front;
  beforeAll(async () => {
    [own, service] = await Promise.all([startService(), startService()]);
    front = await startFront(service);
  });
  afterAll(() => Promise.all([own, service, front].map((gateway) => gateway.close())));
  afterEach(() => front.between(undefined));

  const guests = { attendees: [{ email: alice }, { email: bob }, { email: eve }] };
  let count = 0;
  async function make(body: object): Promise<string> {
    const id = `read${(count += 1)}`;
    for (const gateway of [own, service])
      expect((await gateway.insert({ ...hour, id, ...body })).problems).toEqual([]);
    return id;
  }
  /** The service says something else of the event. */
  const telling =
    (change: (json: Json) => object): Between =>
    async (call, through) => {
      const reply = await through();
      return call.verb === 'GET' ? { ...reply, body: change(reply.body as Json) } : reply;
    };
  const without =
    (...names: readonly string[]) =>
    (json: Json): object =>
      Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));

  test.each<[string, object]>([
    [
      'all of it',
      { ...hour, summary: 'S', attendees: [{ email: alice, responseStatus: 'accepted' }], colorId: '1' },
    ],
    ['nothing but its times', hour],
    ['less than its times', { summary: 'S', start: hour.start }],
  ])('replaces %s as the own store does', async (_name, body) => {
    const id = await make({
      ...guests,
      summary: 'Old',
      location: 'There',
      extendedProperties: { shared: { a: '1' } },
    });
    const put = (gateway: EventGateway) =>
      callAs(
        gateway,
        { method: '', verb: 'PUT', path: ['calendars', alice, 'events', id], body, repeatable: true },
        alice,
      ).then(
        ({ body: answer }) => plain(answer as object),
        (error: unknown) => error,
      );
    expect(await put(front)).toEqual(await put(own));
    expect(plain(await service.on(alice, id))).toEqual(plain(await own.on(alice, id)));
  });

  test('finds the own calendar by its name as well', async () => {
    const id = await make(guests);
    const change = (gateway: EventGateway) =>
      gateway.patch(
        id,
        { attendees: [{ email: alice, comment: 'C' }], nodeId: 'x' },
        { calendarId: 'primary' },
      );
    expect(saidOf(await change(front))).toEqual(saidOf(await change(own)));
  });

  test.each(['patch', 'insert'] as const)(
    'shows a conference that a trial (%s) asks for as one that is to come',
    async (kind) => {
      const body = {
        conferenceData: {
          createRequest: { requestId: 'new', conferenceSolutionKey: { type: 'hostedCall' } },
        },
      };
      const options = { validateOnly: true, conferenceDataVersion: 1 };
      const { event, problems } =
        kind === 'patch'
          ? await front.patch(await make({}), body, options)
          : await front.insert({ ...hour, ...body }, options);
      expect([problems, event.callLink ?? null, event.conferenceData]).toMatchObject([
        [],
        null,
        {
          createRequest: {
            requestId: 'new',
            conferenceSolutionKey: { type: 'hostedCall' },
            status: { statusCode: 'pending' },
          },
        },
      ]);
    },
  );

  test('leaves out new sms reminders beside guests', async () => {
    const id = await make(guests);
    const body = {
      reminders: { useDefault: false, overrides: [{ method: 'sms', minutes: 1 }, popup(2)] },
      attendees: [{ email: alice }],
    };
    expect(saidOf(await front.patch(id, body))).toEqual(saidOf(await own.patch(id, body)));
    expect(front.calls.at(-1)?.body).toMatchObject({ reminders: { overrides: [popup(2)] } });
  });

  test('puts an event back that a guest took off the own calendar', async () => {
    const id = await make(guests);
    const answer = { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'accepted' }] };
    for (const gateway of [own, service]) await gateway.change(id, { status: 'cancelled' }, { as: bob });
    const back = (gateway: EventGateway) =>
      gateway.patch(id, { status: 'confirmed', ...answer }, { as: bob });
    expect(saidOf(await front.patch(id, answer, { as: bob }))).toEqual(
      saidOf(await own.patch(id, answer, { as: bob })),
    );
    expect(saidOf(await back(front))).toEqual(saidOf(await back(own)));
  });

  test('is left to the service where it does not tell the organizer, or when the event was changed', async () => {
    const id = await make({});
    front.between(telling(without('organizer', 'updated', 'etag')));
    expect((await front.patch(id, { attendees: [{ email: eve }] })).problems).toEqual([]);
    expect((await service.on(alice, id)).attendees).toHaveLength(1);
    front.between(
      telling((json) => ({ ...without('organizer')(json), updated: 'once', organizer: { self: true } })),
    );
    expect((await front.patch(id, { attendees: [] })).problems).toEqual([]);
  });

  test('takes a calendar for that of a guest whom the list does not name', async () => {
    const id = await make({ attendees: [{ email: eve }] });
    front.between(telling((json) => ({ ...json, organizer: { email: bob } })));
    expect((await front.patch(id, { attendees: [] })).problems).toEqual([
      'FORBIDDEN event.attendees forbiddenForNonOrganizer',
    ]);
  });

  test('does not write a guest list of which only a part was told', async () => {
    const id = await make(guests);
    front.between(
      telling((json) => ({
        ...json,
        attendees: (json.attendees as readonly Json[]).slice(0, 1),
        attendeesOmitted: true,
      })),
    );
    expect((await front.patch(id, { attendees: [{ email: bob }] })).problems).toEqual([
      'UNAVAILABLE backendError',
    ]);
    expect(
      (await front.patch(id, { attendeesOmitted: true, attendees: [{ email: alice, comment: 'C' }] }))
        .problems,
    ).toEqual([]);
    expect((await service.on(alice, id)).attendees).toMatchObject([
      { comment: 'C' },
      { email: bob },
      { email: eve },
    ]);
  });
});
