import fc from 'fast-check';
import { getNamedType, isObjectType } from 'graphql';
import {
  people,
  alice,
  bob,
  fritz,
  rita,
  wanda,
  popup,
  sten,
  zoned,
  day,
  hour,
} from '../../event/event.harness.ts';
import { startRest, type RestGateway } from '../../faces/rest/rest.harness.ts';
import { everyField } from '../../selections.ts';
import { inFrontOf, overRest, schema, type Front, type FrontAnswer } from './upstream.harness.ts';

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
  let gateway: RestGateway;
  let front: Front;
  beforeAll(async () => {
    gateway = await startRest(
      {},
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
    );
    const change = (eventId: string, event: object): Promise<unknown> =>
      gateway.ask(
        'mutation ($eventId: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $eventId, event: $event) { id } }',
        { eventId, event },
      );
    await change('series_20261202T090000Z', { summary: 'Another one' });
    await change('series_20261203T090000Z', { status: 'cancelled' });
    front = inFrontOf(overRest(gateway));
  });
  afterAll(() => gateway.close());
  beforeEach(() => void front.calls());

  /** What both say to the same question. */
  async function both(
    document: string,
    as = alice,
    variables: object = {},
  ): Promise<readonly [FrontAnswer, FrontAnswer]> {
    const own = await gateway.ask(document, variables, { as });
    const errors = (own.errors ?? []).map(({ message, extensions: { code, issues } }) => ({
      code,
      issues,
      message,
    }));
    return [await front.ask(document, variables, as), { data: own.data ?? null, errors }];
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
    for (const calendarId of [alice, bob]) {
      for (const eventId of ids) {
        const [got, own] = await both(
          `{ event(calendarId: "${calendarId}", eventId: "${eventId}") ${whole} }`,
          as,
        );
        expect({ eventId, calendarId, ...got }).toEqual({ eventId, calendarId, ...own });
      }
    }
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
    for (const as of [alice, rita, fritz]) {
      const [got, own] = await both(
        `{ events(calendarId: "${alice}"${args && `, ${args}`}) { nodes ${whole} edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nextSyncToken } }`,
        as,
      );
      expect(plain(got)).toEqual(plain(own));
    }
  });

  it('is the same for whatever is selected of it', async () => {
    await fc.assert(
      fc.asyncProperty(
        selectionOf('Event'),
        fc.constantFrom(alice, bob, rita, fritz),
        fc.constantFrom(...ids),
        async (selection, as, eventId) => {
          const fields = '{ ...F }';
          const [got, own] = await both(
            `fragment F on Event ${selection} { event(calendarId: "${alice}", eventId: "${eventId}") ${fields} events(calendarId: "${alice}", showDeleted: true) { edges { node ${fields} } } }`,
            as,
          );
          expect(got).toEqual(own);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is the same page behind each cursor, whatever its size', async () => {
    const pages = {
      events: [`calendarId: "${alice}", singleEvents: true`, 12],
      instances: [`calendarId: "${alice}", eventId: "series"`, 5],
    } as const;
    for (const [name, [args]] of Object.entries(pages)) {
      const shown =
        '{ edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } nextSyncToken }';
      const page = (first: number, after?: string): string =>
        `{ list: ${name}(${args}, first: ${first}${after === undefined ? '' : `, after: "${after}"`}) ${shown} }`;
      type Edge = { readonly cursor: string };
      for (const first of [2, 3, 2500]) {
        const [got, own] = await both(page(first));
        const ownEdges = own.data.list.edges as Edge[];
        for (const [index, { cursor }] of (got.data.list.edges as Edge[]).entries()) {
          for (const next of [1, 2, 3]) {
            const there = await front.ask(page(next, cursor));
            const here = await gateway.ask(page(next, ownEdges[index]?.cursor));
            expect(plain(there.data)).toEqual(plain(here.data));
          }
        }
      }
    }
  });

  it('goes on from page to page by one call for each', async () => {
    const found: string[] = [];
    let after: string | null = null;
    do {
      const { data }: FrontAnswer = await front.ask(
        'query ($after: String) { events(calendarId: "primary", first: 3, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }',
        { after },
      );
      expect(front.calls()).toHaveLength(1);
      found.push(...data.events.nodes.map(({ id }: { id: string }) => id));
      after = data.events.pageInfo.hasNextPage ? data.events.pageInfo.endCursor : null;
    } while (after !== null);
    expect(found).toEqual(
      (await gateway.ask('{ events(calendarId: "primary") { nodes { id } } }')).data.events.nodes.map(
        ({ id }: { id: string }) => id,
      ),
    );
  });

  it('tells what changed behind a sync token', async () => {
    const list =
      'query ($syncToken: String) { events(calendarId: "primary", syncToken: $syncToken, showDeleted: false) { nodes { id status summary transparency } nextSyncToken } }';
    const {
      data: {
        events: { nextSyncToken: syncToken },
      },
    } = await front.ask(list);
    await gateway.ask(
      'mutation { insertEvent(calendarId: "primary", event: { id: "added1", summary: "New", start: { date: "2026-12-08" }, end: { date: "2026-12-09" } }) { id } }',
    );
    expect((await front.ask(list, { syncToken })).data.events.nodes).toEqual([
      { id: 'added1', status: 'confirmed', summary: 'New', transparency: 'opaque' },
    ]);
    await gateway.ask('mutation { deleteEvent(calendarId: "primary", eventId: "added1") }');
    expect((await front.ask(list, { syncToken })).data.events.nodes).toEqual([
      { id: 'added1', status: 'cancelled', summary: null, transparency: null },
    ]);
  });

  it.each([
    [
      'all calendars',
      '{ calendars { kind etag nodeId id summary description location timeZone backgroundColor defaultReminders { method minutes } accessRole primary } }',
    ],
    [
      'a calendar',
      `{ calendar(calendarId: "${alice}") { kind etag nodeId id summary timeZone defaultReminders { method minutes } accessRole primary } }`,
    ],
    ['little of a calendar', `{ calendar(calendarId: "${alice}") { nodeId } calendars { summary } }`],
    ['no calendar', '{ calendar(calendarId: "nobody@example.com") { id } }'],
    [
      'busy times',
      `{ freeBusy(timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-09T00:00:00Z", calendarIds: ["primary", "${alice}", "${bob}", "nobody@example.com", "${bob}"], timeZone: "Asia/Tokyo") { calendarId busy { start end } error { code reason message } } }`,
    ],
    [
      'busy times without a zone',
      `{ freeBusy(timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-09T00:00:00Z", calendarIds: ["${alice}"]) { calendarId busy { start end } error { code reason message } } }`,
    ],
    [
      'faulty busy times',
      '{ freeBusy(timeMin: "2026-12-01T00:00:00Z", timeMax: "2025-12-09T00:00:00Z", calendarIds: [], timeZone: "Nowhere") { calendarId } }',
    ],
    ['no event', '{ event(calendarId: "primary", eventId: "nothing") { id } }'],
    ['no event of no calendar', '{ event(calendarId: "nobody@example.com", eventId: "plain") { id } }'],
    ['no events', '{ events(calendarId: "nobody@example.com") { nodes { id } } }'],
    ['no instances', '{ instances(calendarId: "primary", eventId: "plain") { nodes { id } } }'],
    ['instances of nothing', '{ instances(calendarId: "primary", eventId: "nothing") { nodes { id } } }'],
    [
      'faulty arguments',
      '{ event(calendarId: "alice@example.com", eventId: "plain", maxAttendees: 0) { id } }',
    ],
    [
      'faulty arguments of a list',
      '{ events(calendarId: "primary", first: 0, orderBy: startTime, after: "x", timeMin: "2026-12-02T00:00:00Z", timeMax: "2026-12-01T00:00:00Z", maxAttendees: -1, sharedExtendedProperty: ["none"]) { nodes { id } } }',
    ],
    [
      'faulty arguments of instances',
      '{ instances(calendarId: "alice@example.com", eventId: "series", first: 0, after: "x") { nodes { id } } }',
    ],
  ])('is the same answer for %s', async (_name, document) => {
    for (const as of [alice, rita, fritz]) {
      const [got, own] = await both(document, as);
      expect(got).toEqual(own);
    }
  });

  it('knows nothing of a calendar that the caller may not see', async () => {
    const [got, own] = await both(`{ events(calendarId: "${alice}") { nodes { id } } }`, sten);
    expect(got).toEqual(own);
  });

  it('is refused for faulty arguments without a call', async () => {
    await front.ask(
      '{ a: event(calendarId: "primary", eventId: "plain", maxAttendees: 0) { id } b: events(calendarId: "primary", first: 0) { nodes { id } } c: instances(calendarId: "primary", eventId: "series", after: "x") { nodes { id } } d: freeBusy(timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-09T00:00:00Z", calendarIds: []) { calendarId } }',
    );
    expect(front.calls()).toEqual([]);
  });

  it('asks anew for a list whose sync token cannot be used', async () => {
    const { errors } = await front.ask('{ events(calendarId: "primary", syncToken: "x") { nodes { id } } }');
    expect(errors).toMatchObject([
      {
        code: 'BAD_USER_INPUT',
        issues: [
          {
            path: ['syncToken'],
            reason: 'invalid',
            message: expect.stringContaining('The syncToken has expired.'),
          },
        ],
      },
    ]);
  });

  it('takes no cursor of another list', async () => {
    const cursorOf = async (args: string): Promise<string> =>
      (await front.ask(`{ events(${args}) { pageInfo { endCursor } } }`)).data.events.pageInfo
        .endCursor as string;
    const after = await cursorOf('calendarId: "primary", first: 2');
    const refused = async (args: string): Promise<unknown> =>
      (await front.ask(`{ events(${args}, after: "${after}") { nodes { id } } }`)).errors.map(
        ({ issues: [issue] }) => issue?.path,
      );
    expect(await refused(`calendarId: "${alice}", first: 3`)).toEqual([]);
    expect(await refused('calendarId: "primary", q: "x"')).toEqual([['after']]);
    expect(await refused(`calendarId: "${bob}"`)).toEqual([['after']]);
  });
});
