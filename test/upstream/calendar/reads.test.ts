import { buildSchema, getNamedType, isObjectType } from 'graphql';
import { readTypeDefs } from '../../../src/faces/graphql/schema.ts';
import {
  alice,
  bob,
  day,
  fritz,
  hour,
  people,
  popup,
  rita,
  startEvents,
  sten,
  wanda,
  zoned,
  type EventGateway,
} from '../../event/event.harness.ts';
import { fc } from '../../property.ts';
import { everyField } from '../../selections.ts';
import { startFront, type Front } from './upstream.harness.ts';

const schema = buildSchema(readTypeDefs().join('\n'));
const whole = everyField('Event', schema);
const series = { ...zoned, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] };

/** Some of the fields of a type, and some of theirs. */
const selectionOf = (typeName: string): fc.Arbitrary<string> => {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return fc.constant('');
  const fields = Object.values(type.getFields());
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(6, fields.length) })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((field) =>
          selectionOf(getNamedType(field.type).name).map((inner) => `${field.name} ${inner}`),
        ),
      ),
    )
    .map((texts) => `{ ${texts.join(' ')} }`);
};

/** Cursors and tokens are each gateway's own. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, inner: unknown) =>
      ['cursor', 'startCursor', 'endCursor', 'nextSyncToken'].includes(name) && inner !== null
        ? 'some'
        : inner,
    ),
  );

describe('what is read in front of a calendar service', () => {
  let gateway: EventGateway, front: Front;
  beforeAll(async () => {
    gateway = await startEvents(
      {
        seed: {
          calendars: people([
            { id: 'plain', ...hour },
            { id: 'wholeday', ...day, summary: 'A day', colorId: '3' },
            {
              id: 'full',
              ...zoned,
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
              reminders: { useDefault: false, overrides: [popup(5)] },
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
            { id: 'private1', ...hour, summary: 'Nobody knows', visibility: 'private', status: 'tentative' },
            {
              id: 'hidden',
              ...hour,
              guestsCanSeeOtherGuests: false,
              attendees: [{ email: bob }, { email: 'eve@elsewhere.example' }],
            },
            { id: 'series', ...series, summary: 'Daily' },
            { id: 'gone', ...hour, status: 'cancelled', summary: 'Was' },
          ]),
        },
      },
      { REST: 'on' },
    );
    await gateway.change('series_20261202T090000Z', { summary: 'Another one' });
    await gateway.change('series_20261203T090000Z', { status: 'cancelled' });
    front = await startFront(gateway);
  });
  afterAll(() => Promise.all([gateway, front].map((one) => one.close())));
  beforeEach(() => void front.made());

  /** Expects the answer in front of the service to be the service's own. */
  async function expectSame(document: string, as = alice): Promise<void> {
    const [theirs, mine] = await Promise.all(
      [front, gateway].map(async (one) => {
        const { data, errors = [] } = await one.ask(document, {}, { as });
        return plain({
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
    expect({ document, as, said: theirs }).toEqual({ document, as, said: mine });
  }

  const ids = [
    'plain',
    'wholeday',
    'full',
    'private1',
    'hidden',
    'series',
    'gone',
    'series_20261202T090000Z',
    'series_20261203T090000Z',
    'series_20261204T090000Z',
  ];
  it.each([alice, bob, wanda, rita, fritz])('is the same event as without it, for %s', async (as) => {
    for (const calendarId of [alice, bob])
      for (const eventId of ids)
        await expectSame(`{ event(calendarId: "${calendarId}", eventId: "${eventId}") ${whole} }`, as);
  });

  const lists: readonly (readonly [string, string])[] = [
    ['all', ''],
    ['instances', 'singleEvents: true'],
    ['by start', 'singleEvents: true, orderBy: startTime'],
    ['deleted ones', 'showDeleted: true'],
    ['a text', 'q: "daily"'],
    ['changed ones', 'updatedMin: "2020-01-01T00:00:00Z"'],
    ['a range', 'timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z"'],
    ['an iCalUID', 'iCalUID: "none"'],
    ['a property', 'privateExtendedProperty: ["a=b"], sharedExtendedProperty: ["c=d"]'],
    ['few', 'first: 2'],
    ['few guests', 'maxAttendees: 1, alwaysIncludeEmail: true'],
  ];
  it.each(lists)('is the same list of %s', async (_name, args) => {
    const paging = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nextSyncToken';
    const shown = `nodes ${whole} edges { cursor node { id } } ${paging}`;
    for (const as of [alice, rita, fritz])
      await expectSame(`{ events(calendarId: "${alice}"${args && `, ${args}`}) { ${shown} } }`, as);
  });

  it('is the same for whatever is selected of it', async () => {
    const callers = fc.constantFrom(alice, bob, rita, fritz);
    await fc.assert(
      fc.asyncProperty(selectionOf('Event'), callers, fc.constantFrom(...ids), (selection, as, eventId) =>
        expectSame(
          `fragment F on Event ${selection} { event(calendarId: "${alice}", eventId: "${eventId}") { ...F } events(calendarId: "${alice}", showDeleted: true) { edges { node { ...F } } } }`,
          as,
        ),
      ),
      { numRuns: 60 },
    );
  });

  it('is the same page behind each cursor, whatever its size, by one call for each', async () => {
    for (const list of [
      `events(calendarId: "${alice}", singleEvents: true`,
      `instances(calendarId: "${alice}", eventId: "series"`,
    ]) {
      const page = async (one: EventGateway, first: number, after = 'null') => {
        const shown = 'edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage } nextSyncToken';
        return (await one.run(`{ result: ${list}, first: ${first}, after: ${after}) { ${shown} } }`, {}))
          .event;
      };
      for (const first of [2, 3, 2500]) {
        const [{ edges }, { edges: ownEdges }] = [await page(front, first), await page(gateway, first)];
        expect(plain(edges)).toEqual(plain(ownEdges));
        for (const [index, { cursor }] of edges.entries()) {
          for (const next of [1, 2, 3]) {
            front.made();
            const theirs = await page(front, next, `"${cursor}"`);
            if (index === edges.length - 1) expect(front.made()).toHaveLength(1);
            expect(plain(theirs)).toEqual(plain(await page(gateway, next, `"${ownEdges[index].cursor}"`)));
          }
        }
      }
    }
  });

  it('tells what changed behind a sync token', async () => {
    const list =
      'query ($syncToken: String) { result: events(calendarId: "primary", syncToken: $syncToken, showDeleted: false) { nodes { id status summary transparency } nextSyncToken } }';
    const syncToken = (await front.run(list, {})).event.nextSyncToken;
    const changed = async (): Promise<unknown> => (await front.run(list, { syncToken })).event.nodes;
    const { id } = await gateway.make({ id: 'added1', summary: 'New' });
    expect(await changed()).toEqual([{ id, status: 'confirmed', summary: 'New', transparency: 'opaque' }]);
    await gateway.run('mutation { deleteEvent(calendarId: "primary", eventId: "added1") }', {});
    expect(await changed()).toEqual([{ id, status: 'cancelled', summary: null, transparency: null }]);
  });

  const range = 'timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-09T00:00:00Z"';
  const ofCalendar =
    'kind etag nodeId id summary timeZone defaultReminders { method minutes } accessRole primary';
  const busy = 'calendarId busy { start end } error { code reason message }';
  it.each([
    ['all calendars', `{ calendars { ${ofCalendar} description location backgroundColor } }`],
    ['a calendar', `{ calendar(calendarId: "${alice}") { ${ofCalendar} } }`],
    ['little of a calendar', `{ calendar(calendarId: "${alice}") { nodeId } calendars { summary } }`],
    ['no calendar', '{ calendar(calendarId: "nobody@example.com") { id } }'],
    [
      'busy times',
      `{ freeBusy(${range}, calendarIds: ["primary", "${alice}", "${bob}", "nobody@example.com", "${bob}"], timeZone: "Asia/Tokyo") { ${busy} } }`,
    ],
    ['busy times without a zone', `{ freeBusy(${range}, calendarIds: ["${alice}"]) { ${busy} } }`],
    [
      'faulty busy times',
      '{ freeBusy(timeMin: "2026-12-01T00:00:00Z", timeMax: "2025-12-09T00:00:00Z", calendarIds: [], timeZone: "Nowhere") { calendarId } }',
    ],
    ['no event', '{ event(calendarId: "primary", eventId: "nothing") { id } }'],
    ['no event of no calendar', '{ event(calendarId: "nobody@example.com", eventId: "plain") { id } }'],
    ['no events', '{ events(calendarId: "nobody@example.com") { nodes { id } } }'],
    ['no instances', '{ instances(calendarId: "primary", eventId: "plain") { nodes { id } } }'],
    ['instances of nothing', '{ instances(calendarId: "primary", eventId: "nothing") { nodes { id } } }'],
    ['bad arguments', '{ event(calendarId: "alice@example.com", eventId: "plain", maxAttendees: 0) { id } }'],
    [
      'faulty arguments of a list',
      '{ events(calendarId: "primary", first: 0, orderBy: startTime, after: "x", timeMin: "2026-12-02T00:00:00Z", timeMax: "2026-12-01T00:00:00Z", maxAttendees: -1, sharedExtendedProperty: ["none"]) { nodes { id } } }',
    ],
    [
      'faulty arguments of instances',
      '{ instances(calendarId: "alice@example.com", eventId: "series", first: 0, after: "x") { nodes { id } } }',
    ],
  ])('is the same answer for %s', async (_name, document) => {
    for (const as of [alice, rita, fritz]) await expectSame(document, as);
  });

  it('is nothing of a calendar that the caller may not see', () =>
    expectSame(`{ events(calendarId: "${alice}") { nodes { id } } }`, sten));

  it('is refused for faulty arguments without a call', async () => {
    await front.ask(
      `{ a: event(calendarId: "primary", eventId: "plain", maxAttendees: 0) { id } b: events(calendarId: "primary", first: 0) { nodes { id } } c: instances(calendarId: "primary", eventId: "series", after: "x") { nodes { id } } d: freeBusy(${range}, calendarIds: []) { calendarId }
        e: events(calendarId: "primary", syncToken: "") { nodes { id } } }`,
    );
    expect(front.asked()).toBe('');
  });

  it('asks anew for a list whose sync token cannot be used', async () => {
    const list = '{ events(calendarId: "primary", syncToken: "x") { nodes { id } } }';
    const { problems, errors } = await front.run(list, {});
    expect(problems).toEqual(['BAD_USER_INPUT syncToken invalid']);
    expect(errors?.[0]?.extensions.issues[0]?.message).toContain('The syncToken has expired.');
  });

  it('takes no cursor of another list', async () => {
    const list = (args: string): string =>
      `{ result: events(${args}) { nodes { id } pageInfo { endCursor } } }`;
    const { event } = await front.run(list('calendarId: "primary", first: 2'), {});
    const refused = async (args: string): Promise<unknown> =>
      (await front.run(list(`${args}, after: "${event.pageInfo.endCursor}"`), {})).problems;
    expect(await refused(`calendarId: "${alice}", first: 3`)).toEqual([]);
    expect(await refused('calendarId: "primary", q: "x"')).toEqual(['BAD_USER_INPUT after invalid']);
    expect(await refused(`calendarId: "${bob}"`)).toEqual(['BAD_USER_INPUT after invalid']);
  });
});
