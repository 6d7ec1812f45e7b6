import {
  alice,
  bob,
  oneDay,
  oneHour,
  sampleCalendars,
  popupOverride,
  startEventGateway,
  zonedHour,
  type EventGateway,
  fritz,
  rita,
  sten,
  wanda,
} from '../../event/event.harness.ts';
import { selectEveryField } from '../../selections.ts';
import { startFront, type Front } from './upstream.harness.ts';

const allFields = selectEveryField('Event');
const series = { ...zonedHour, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] };

/** Replaces cursors and tokens, which differ between gateways. */
const maskTokens = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, inner: unknown) =>
      ['cursor', 'startCursor', 'endCursor', 'nextSyncToken'].includes(name) && inner !== null
        ? 'some'
        : inner,
    ),
  );

describe('reads in front of a calendar service', () => {
  let gateway: EventGateway, front: Front;
  beforeAll(async () => {
    gateway = await startEventGateway(
      {
        seed: {
          calendars: sampleCalendars([
            { id: 'plain', ...oneHour },
            { id: 'wholeday', ...oneDay, summary: 'A day', colorId: '3' },
            {
              id: 'full',
              ...zonedHour,
              summary: 'All of it',
              description: 'x',
              location: 'y',
              attendees: [
                { email: bob, responseStatus: 'accepted', comment: 'yes' },
                { email: 'eve@elsewhere.example', optional: true },
              ],
              attachments: [{ fileUrl: 'https://files.example/1', title: 'One' }],
              extendedProperties: { private: { a: 'b' }, shared: { c: 'd' } },
              guestsCanModify: true,
              guestsCanInviteOthers: false,
              source: { title: 'Source', url: 'https://source.example/' },
              transparency: 'transparent',
              reminders: { useDefault: false, overrides: [popupOverride(5)] },
              gadget: {
                type: 't',
                title: 'u',
                link: 'https://gadget.example/',
                display: 'chip',
                preferences: { a: 'b' },
              },
              conferenceData: {
                conferenceId: 'abc-defg-hij',
                conferenceSolution: { key: { type: 'hostedCall' }, name: 'Call' },
                entryPoints: [{ entryPointType: 'video', uri: 'https://call.example/abc-defg-hij' }],
              },
            },
            {
              id: 'private1',
              ...oneHour,
              summary: 'Nobody knows',
              visibility: 'private',
              status: 'tentative',
            },
            {
              id: 'hidden',
              ...oneHour,
              guestsCanSeeOtherGuests: false,
              attendees: [{ email: bob }, { email: 'eve@elsewhere.example' }],
            },
            { id: 'series', ...series, summary: 'Daily' },
            { id: 'gone', ...oneHour, status: 'cancelled', summary: 'Was' },
          ]),
        },
      },
      { REST: 'on' },
    );
    await gateway.changeEvent('series_20261202T090000Z', { summary: 'Another one' });
    await gateway.changeEvent('series_20261203T090000Z', { status: 'cancelled' });
    front = await startFront(gateway);
  });
  afterAll(() => Promise.all([gateway, front].map((gatewayOfTests) => gatewayOfTests.close())));
  beforeEach(() => void front.takeCalls());

  /** Expects the same answer from the front as from the service itself. */
  async function expectSame(document: string, as = alice): Promise<void> {
    const [frontAnswer, serviceAnswer] = await Promise.all(
      [front, gateway].map(async (target) => {
        const { data, errors = [] } = await target.ask(document, {}, { as });
        return maskTokens({
          data: (data ?? null) as unknown,
          errors: errors.map(({ message, extensions: { code, reason, issues } }) => [
            message,
            code,
            reason,
            issues,
          ]),
        });
      }),
    );
    expect({ document, as, answer: frontAnswer }).toEqual({ document, as, answer: serviceAnswer });
  }

  const eventIds = [
    ...'plain wholeday full private1 hidden series gone'.split(' '),
    ...['02', '03', '04'].map((day) => `series_202612${day}T090000Z`),
  ];
  it.each([alice, bob, wanda, rita, fritz])('return the same event for %s', async (as) => {
    for (const calendarId of [alice, bob])
      for (const eventId of eventIds)
        await expectSame(`{ event(calendarId: "${calendarId}", eventId: "${eventId}") ${allFields} }`, as);
  });

  const lists: readonly (readonly [string, string])[] = [
    ['of all events', ''],
    ['by instance', 'singleEvents: true'],
    ['by start', 'singleEvents: true, orderBy: startTime'],
    ['with deleted events', 'showDeleted: true'],
    ['with a text', 'q: "daily"'],
    ['changed since a time', 'updatedMin: "2020-01-01T00:00:00Z"'],
    ['in a range of time', 'timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z"'],
    ['with an iCalUID', 'iCalUID: "none"'],
    ['with a property', 'privateExtendedProperty: ["a=b"], sharedExtendedProperty: ["c=d"]'],
    ['on a short page', 'first: 2'],
    ['with few guests', 'maxAttendees: 1, alwaysIncludeEmail: true'],
  ];
  it.each(lists)('return the same list of events: %s', async (_name, args) => {
    const paging = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nextSyncToken';
    const listSelection = `nodes ${allFields} edges { cursor node { id } } ${paging}`;
    for (const as of [alice, rita, fritz])
      await expectSame(`{ events(calendarId: "${alice}"${args && `, ${args}`}) { ${listSelection} } }`, as);
  });

  it('return the same page after each cursor with one call', async () => {
    for (const list of [
      `events(calendarId: "${alice}", singleEvents: true`,
      `instances(calendarId: "${alice}", eventId: "series"`,
    ]) {
      const readPage = async (target: EventGateway, first: number, after = 'null') => {
        const selection =
          'edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage } nextSyncToken';
        return (
          await target.run(`{ result: ${list}, first: ${first}, after: ${after}) { ${selection} } }`, {})
        ).event;
      };
      for (const first of [2, 3, 2500]) {
        const [{ edges }, { edges: serviceEdges }] = [
          await readPage(front, first),
          await readPage(gateway, first),
        ];
        expect(maskTokens(edges)).toEqual(maskTokens(serviceEdges));
        for (const [index, { cursor }] of edges.entries()) {
          for (const pageSize of [1, 2, 3]) {
            front.takeCalls();
            const frontPage = await readPage(front, pageSize, `"${cursor}"`);
            if (index === edges.length - 1) expect(front.takeCalls()).toHaveLength(1);
            expect(maskTokens(frontPage)).toEqual(
              maskTokens(await readPage(gateway, pageSize, `"${serviceEdges[index].cursor}"`)),
            );
          }
        }
      }
    }
  });

  it('sync changes since a token', async () => {
    const list =
      'query ($syncToken: String) { result: events(calendarId: "primary", syncToken: $syncToken, showDeleted: false) { nodes { id status summary transparency } nextSyncToken } }';
    const syncToken = (await front.run(list, {})).event.nextSyncToken;
    const listChanges = async (): Promise<unknown> => (await front.run(list, { syncToken })).event.nodes;
    const { id } = await gateway.makeEvent({ id: 'added1', summary: 'New' });
    expect(await listChanges()).toEqual([
      { id, status: 'confirmed', summary: 'New', transparency: 'opaque' },
    ]);
    await gateway.run('mutation { deleteEvent(calendarId: "primary", eventId: "added1") }', {});
    expect(await listChanges()).toEqual([{ id, status: 'cancelled', summary: null, transparency: null }]);
  });

  const range = 'timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-09T00:00:00Z"';
  const calendarFields =
    'kind etag nodeId id summary timeZone defaultReminders { method minutes } accessRole primary';
  const busyFields = 'calendarId busy { start end } error { code reason message }';
  it.each([
    ['all calendars', `{ calendars { ${calendarFields} description location backgroundColor } }`],
    ['a calendar', `{ calendar(calendarId: "${alice}") { ${calendarFields} } }`],
    ['little of a calendar', `{ calendar(calendarId: "${alice}") { nodeId } calendars { summary } }`],
    ['no calendar', '{ calendar(calendarId: "nobody@example.com") { id } }'],
    [
      'busy times',
      `{ freeBusy(${range}, calendarIds: ["primary", "${alice}", "${bob}", "nobody@example.com", "${bob}"], timeZone: "Asia/Tokyo") { ${busyFields} } }`,
    ],
    ['busy times without a zone', `{ freeBusy(${range}, calendarIds: ["${alice}"]) { ${busyFields} } }`],
    [
      'invalid arguments of busy times',
      '{ freeBusy(timeMin: "2026-12-01T00:00:00Z", timeMax: "2025-12-09T00:00:00Z", calendarIds: [], timeZone: "Nowhere") { calendarId } }',
    ],
    ['no event', '{ event(calendarId: "primary", eventId: "nothing") { id } }'],
    ['no event of no calendar', '{ event(calendarId: "nobody@example.com", eventId: "plain") { id } }'],
    ['no events', '{ events(calendarId: "nobody@example.com") { nodes { id } } }'],
    ['no instances', '{ instances(calendarId: "primary", eventId: "plain") { nodes { id } } }'],
    ['instances of nothing', '{ instances(calendarId: "primary", eventId: "nothing") { nodes { id } } }'],
    [
      'invalid arguments of an event',
      '{ event(calendarId: "alice@example.com", eventId: "plain", maxAttendees: 0) { id } }',
    ],
    [
      'invalid arguments of a list',
      '{ events(calendarId: "primary", first: 0, orderBy: startTime, after: "x", timeMin: "2026-12-02T00:00:00Z", timeMax: "2026-12-01T00:00:00Z", maxAttendees: -1, sharedExtendedProperty: ["none"]) { nodes { id } } }',
    ],
    [
      'invalid arguments of instances',
      '{ instances(calendarId: "alice@example.com", eventId: "series", first: 0, after: "x") { nodes { id } } }',
    ],
  ])('return the same for %s', async (_name, document) => {
    for (const as of [alice, rita, fritz]) await expectSame(document, as);
  });

  it('return the same for a calendar that the caller may not see', () =>
    expectSame(`{ events(calendarId: "${alice}") { nodes { id } } }`, sten));

  it('refuse invalid arguments without a call', async () => {
    await front.ask(
      `{ a: event(calendarId: "primary", eventId: "plain", maxAttendees: 0) { id } b: events(calendarId: "primary", first: 0) { nodes { id } } c: instances(calendarId: "primary", eventId: "series", after: "x") { nodes { id } } d: freeBusy(${range}, calendarIds: []) { calendarId }
        e: events(calendarId: "primary", syncToken: "") { nodes { id } } }`,
    );
    expect(front.takeMethods()).toBe('');
  });

  it('refuse an invalid sync token', async () => {
    const list = '{ events(calendarId: "primary", syncToken: "x") { nodes { id } } }';
    const { problems, errors } = await front.run(list, {});
    expect(problems).toEqual(['BAD_USER_INPUT syncToken invalid']);
    expect(errors?.[0]?.extensions.issues[0]?.message).toContain('The syncToken has expired.');
  });

  it('refuse a cursor of another list', async () => {
    const list = (args: string): string =>
      `{ result: events(${args}) { nodes { id } pageInfo { endCursor } } }`;
    const { event } = await front.run(list('calendarId: "primary", first: 2'), {});
    const listProblems = async (args: string): Promise<unknown> =>
      (await front.run(list(`${args}, after: "${event.pageInfo.endCursor}"`), {})).problems;
    expect(await listProblems(`calendarId: "${alice}", first: 3`)).toEqual([]);
    expect(await listProblems('calendarId: "primary", q: "x"')).toEqual(['BAD_USER_INPUT after invalid']);
    expect(await listProblems(`calendarId: "${bob}"`)).toEqual(['BAD_USER_INPUT after invalid']);
  });
});
