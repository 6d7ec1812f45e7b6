import { createClient } from 'graphql-sse';
import { SignJWT } from 'jose';
import { allScopes, secret, tokenFor, type TestGateway } from '../harness.ts';
import {
  listenForStreams,
  until,
  type Opened,
  type Streams,
  type WireEvent,
} from '../http/streams/stream.harness.ts';

const [alice, bob] = ['alice@example.com', 'bob@example.com'] as const;
const teams = Array.from({ length: 50 }, (_, index) => `team${index}@example.com`);
const hour = { start: { dateTime: '2030-12-01T10:00:00Z' }, end: { dateTime: '2030-12-01T11:00:00Z' } };
/** Calendars of Alice that Bob may read, and one that he may not. */
export const seed = {
  calendars: [alice, ...teams, 'secret@example.com'].map((id) => ({
    id,
    owner: alice,
    timeZone: 'UTC',
    events: [{ id: 'meeting', iCalUID: `meeting of ${id}`, summary: 'Meeting', ...hour }],
    acl: id === 'secret@example.com' ? [] : [{ email: bob, role: 'freeBusyReader' }],
  })),
};

const calendarsChanged = (ids: readonly string[]): string =>
  `subscription { calendarsChanged(calendarIds: ${JSON.stringify(ids)}) { calendarId changedAt } }`;
const told = (calendarId: string): WireEvent => ({
  event: 'next',
  id: undefined,
  data: { data: { calendarsChanged: { calendarId, changedAt: expect.stringMatching(/Z$/) as string } } },
});
const notFound = (...indexes: readonly number[]) => [
  expect.objectContaining({
    message: expect.stringMatching(/^There is no such calendar\./),
    extensions: expect.objectContaining({
      code: 'NOT_FOUND',
      reason: 'notFound',
      issues: indexes.map((index) => ({
        path: ['calendarIds', index],
        reason: 'notFound',
        message: 'There is no such calendar.',
      })),
    }),
  }),
];

interface Started {
  readonly gateway: TestGateway;
  stop(): Promise<void>;
}

export function followingMany(name: string, start: () => Promise<Started>): void {
  describe(`following several calendars in one stream (${name})`, () => {
    let started: Started;
    let gateway: TestGateway;
    let streams: Streams;
    const opened: Opened[] = [];
    beforeAll(async () => {
      started = await start();
      ({ gateway } = started);
      streams = await listenForStreams(gateway);
    });
    afterEach(() => opened.splice(0).forEach((stream) => stream.close()));
    afterAll(() => started.stop());

    const open = async (
      ids: readonly string[],
      options: Parameters<Streams['open']>[1] = {},
    ): Promise<Opened> => {
      const stream = await streams.open(calendarsChanged(ids), options);
      opened.push(stream);
      return stream;
    };
    const next = async (stream: Opened, count: number): Promise<(WireEvent | undefined)[]> => {
      const events: (WireEvent | undefined)[] = [];
      while (events.length < count) events.push(await stream.next());
      return events;
    };
    const change = async (calendarId: string, summary = `At ${performance.now()}`): Promise<void> => {
      const { errors } = await gateway.ask(
        'mutation ($id: String!, $summary: String) { patchEvent(calendarId: $id, eventId: "meeting", event: { summary: $summary }) { id } }',
        { id: calendarId, summary },
      );
      expect(errors).toBeUndefined();
    };
    const takeAccess = async (calendarId: string): Promise<void> => {
      const { errors } = await gateway.ask(
        `mutation ($id: String!) { setCalendarAccess(calendarId: $id, email: "${bob}", role: none) { role } }`,
        { id: calendarId },
      );
      expect(errors).toBeUndefined();
    };
    const remove = async (calendarId: string): Promise<void> => {
      const { data } = await gateway.ask('mutation ($id: String!) { deleteCalendar(calendarId: $id) }', {
        id: calendarId,
      });
      expect(data).toEqual({ deleteCalendar: true });
    };

    test('begins with one event for each, and then tells which of them has changed', async () => {
      const stream = await open(['team2@example.com', 'primary', 'team1@example.com']);
      expect(await next(stream, 3)).toEqual(['team2@example.com', alice, 'team1@example.com'].map(told));
      for (const id of ['team1@example.com', alice, 'team2@example.com', 'team1@example.com']) {
        await change('team3@example.com');
        await change(id);
        expect(await stream.next()).toEqual(told(id));
      }
    });

    test('follows a calendar once that is named twice, or as primary as well', async () => {
      const stream = await open(['primary', 'team1@example.com', alice, 'team1@example.com']);
      expect(await next(stream, 2)).toEqual([alice, 'team1@example.com'].map(told));
      await change(alice);
      await change('team1@example.com');
      expect(
        (await next(stream, 2)).map((event) => event?.data.data.calendarsChanged.calendarId).sort(),
      ).toEqual([alice, 'team1@example.com']);
    });

    test('takes fifty, of a list in variables too, and a caller who sees their times only', async () => {
      const stream = await open(teams, { as: bob });
      expect(await next(stream, 50)).toEqual(teams.map(told));
      await change('team49@example.com');
      expect(await stream.next()).toEqual(told('team49@example.com'));
      await Promise.all(teams.map((id) => change(id)));
      expect(
        new Set((await next(stream, 50)).map((event) => event?.data.data.calendarsChanged.calendarId)),
      ).toEqual(new Set(teams));
    });

    test.each<[string, readonly string[], object]>([
      [
        'none',
        [],
        {
          reason: 'required',
          issues: [
            expect.objectContaining({ path: ['calendarIds'], params: { min: 1, max: 50, actual: 0 } }),
          ],
        },
      ],
      [
        'fifty-one',
        [...teams, teams[0] as string],
        {
          reason: 'tooMany',
          issues: [expect.objectContaining({ path: ['calendarIds'], params: { max: 50, actual: 51 } })],
        },
      ],
    ])('refuses %s of them', async (_name, ids, extensions) => {
      const [error, complete, ...others] = await (await open(ids)).rest();
      expect(error?.data).toMatchObject({
        errors: [
          {
            message: expect.stringMatching(/^[A-Z].*\.$/),
            extensions: { code: 'BAD_USER_INPUT', ...extensions },
          },
        ],
      });
      expect([complete?.event, others]).toEqual(['complete', []]);
    });

    test('refuses all for those that there are not for the caller, each by its place', async () => {
      const ids = ['none@example.com', 'team1@example.com', 'secret@example.com'];
      const [error, complete, ...others] = await (await open(ids, { as: bob })).rest();
      expect(error?.data).toEqual({ errors: notFound(0, 2) });
      expect([complete?.event, others]).toEqual(['complete', []]);
    });

    test('begins anew whatever the last event was', async () => {
      const { data } = await gateway.ask('{ events(calendarId: "primary") { nextSyncToken } }');
      const stream = await open(['primary'], { lastEventId: data.events.nextSyncToken });
      expect(await stream.next()).toEqual(told(alice));
      await change(alice);
      expect(await stream.next()).toEqual(told(alice));
    });

    test('tells changes of each that come fast together, and never misses the last', async () => {
      const stream = await open(['team5@example.com', 'team6@example.com']);
      await next(stream, 2);
      for (let count = 0; count < 40; count += 1)
        await change(`team${5 + (count % 2)}@example.com`, `change ${count}`);
      const seen = new Map<string, string>();
      let events = 0;
      for (
        ;
        seen.get('team5@example.com') !== 'change 38' || seen.get('team6@example.com') !== 'change 39';
        events += 1
      ) {
        const id = (await stream.next())?.data.data.calendarsChanged.calendarId as string;
        const { data } = await gateway.ask(
          'query ($id: String!) { event(calendarId: $id, eventId: "meeting") { summary } }',
          { id },
        );
        seen.set(id, data.event.summary as string);
      }
      expect(events).toBeLessThan(40);
    });

    test('tells of one that the caller may not read any more once, and goes on with the others', async () => {
      const ids = ['team10@example.com', 'team11@example.com', 'team12@example.com', 'team11@example.com'];
      const stream = await open(ids, { as: bob });
      await next(stream, 3);
      await takeAccess('team11@example.com');
      const lost = {
        event: 'next',
        id: undefined,
        data: {
          data: { calendarsChanged: null },
          errors: [expect.objectContaining({ path: ['calendarsChanged'] })],
        },
      };
      const error = await stream.next();
      expect(error).toEqual(lost);
      expect(error?.data.errors).toEqual(notFound(1, 3));
      await change('team11@example.com');
      for (const id of ['team10@example.com', 'team12@example.com', 'team10@example.com']) {
        await change(id);
        expect(await stream.next()).toEqual(told(id));
      }
      for (const team of [10, 12]) {
        await (team === 10 ? takeAccess : remove)(`team${team}@example.com`);
        expect(await stream.next()).toEqual(lost);
      }
      expect(await stream.rest()).toEqual([{ event: 'complete', id: undefined, data: undefined }]);
    });

    test('ends with an error when the token expires', async () => {
      const token = await new SignJWT({ email: alice, scope: allScopes.join(' ') })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('x')
        .setExpirationTime(Math.floor(Date.now() / 1000) - 28) // 30 s are tolerated
        .sign(Buffer.from(secret));
      const all = await (await open(['team20@example.com', 'team21@example.com'], { token })).rest();
      expect(all.slice(0, 2)).toEqual(['team20@example.com', 'team21@example.com'].map(told));
      expect(all.slice(2)).toEqual([
        expect.objectContaining({
          data: {
            errors: [
              expect.objectContaining({ extensions: expect.objectContaining({ code: 'UNAUTHENTICATED' }) }),
            ],
          },
        }),
        expect.objectContaining({ event: 'complete' }),
      ]);
    });

    test('is what the client of the protocol does', async () => {
      const client = createClient({
        url: streams.url,
        headers: async () => ({ authorization: `Bearer ${await tokenFor(alice)}` }),
        retryAttempts: 0,
      });
      const results = client.iterate({
        query:
          'subscription ($ids: [String!]!) { calendarsChanged(calendarIds: $ids) { calendarId changedAt } }',
        variables: { ids: ['team30@example.com', 'team31@example.com'] },
      });
      expect([(await results.next()).value, (await results.next()).value]).toEqual(
        ['team30@example.com', 'team31@example.com'].map((id) => told(id).data),
      );
      await change('team31@example.com');
      expect((await results.next()).value).toEqual(told('team31@example.com').data);
      await results.return?.();
      await until(async () =>
        (await gateway.app.inject('/metrics')).body.includes(
          'graphql_streams_open{root_field="calendarsChanged"} 0',
        ),
      );
    });
  });
}
