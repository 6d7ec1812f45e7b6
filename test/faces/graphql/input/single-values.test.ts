import { useGateway, tokenFor, type Answer } from '../../../harness.ts';
import { listAllIssues } from './list-issues.ts';

describe('input coercion', () => {
  const gateway = useGateway();

  const patchWithVariable = (event: unknown): Promise<Answer> =>
    gateway.ask(
      'mutation ($e: EventInput!) { patchEvent(calendarId: "primary", eventId: "holiday", event: $e) { id } }',
      { e: event },
    );
  const patchWithLiteral = (event: string, definitions = '', variables = {}): Promise<Answer> =>
    gateway.ask(
      `mutation ${definitions} { patchEvent(calendarId: "primary", eventId: "holiday", event: ${event}) { id } }`,
      variables,
    );

  describe('a single value for a list', () => {
    const issues = [
      'event.reminders.overrides.0.method required',
      'event.reminders.overrides.0.minutes invalid',
    ];

    test('is entry 0, in coercion issues and rule issues alike', async () => {
      expect(listAllIssues(await patchWithVariable({ reminders: { overrides: { minutes: 'x' } } }))).toEqual(
        issues,
      );
      expect(listAllIssues(await patchWithVariable({ reminders: { overrides: { minutes: -1 } } }))).toEqual(
        issues,
      );
      expect(
        listAllIssues(await patchWithVariable({ summary: 1, reminders: { overrides: { minutes: -1 } } })),
      ).toEqual([...issues, 'event.summary invalid']);
    });

    test('is entry 0 in literals too, with or without a variable inside', async () => {
      expect(listAllIssues(await patchWithLiteral('{ reminders: { overrides: { minutes: "x" } } }'))).toEqual(
        issues.slice(1),
      );
      const reminderLiteral = '{ reminders: { overrides: { method: popup, minutes: $n } } }';
      expect(listAllIssues(await patchWithLiteral(reminderLiteral, '($n: Int)', { n: 'x' }))).toEqual(
        issues.slice(1),
      );
    });

    test('that cannot be an entry is reported at the list', async () => {
      expect(listAllIssues(await patchWithVariable({ recurrence: 7 }))).toEqual(['event.recurrence invalid']);
      expect(listAllIssues(await patchWithLiteral('{ recurrence: 7 }'))).toEqual([
        'event.recurrence invalid',
      ]);
    });
  });

  describe('__typename, which caches of clients add', () => {
    const patchMutation = `mutation ($e: EventInput!) { patchEvent(calendarId: "primary", eventId: "holiday", validateOnly: true, event: $e) {
      summary start { date } attendees { email } extendedProperties { private } gadget { preferences }
    } }`;

    test('is dropped from every object of a variable', async () => {
      const e = {
        __typename: 'Event',
        summary: 'Read and sent back',
        start: { __typename: 'EventDateTime', date: '2026-12-25' },
        end: { __typename: 'EventDateTime', date: '2026-12-26' },
        attendees: [{ __typename: 'EventAttendee', email: 'bob@example.com' }],
      };
      const { data, errors, warnings } = await gateway.ask(patchMutation, { e });
      expect([errors, warnings]).toEqual([undefined, undefined]);
      expect(data.patchEvent).toMatchObject({
        summary: 'Read and sent back',
        start: { date: '2026-12-25' },
        attendees: [{ email: 'bob@example.com' }],
      });
    });

    test('is dropped, and so are the edges of an object, each only from its own type', async () => {
      const edges = { calendar: { id: 1 }, recurringEvent: null, instances: { nodes: [{}] } };
      const answerWithEdges = await gateway.ask(patchMutation, {
        e: { summary: 'Read and sent back', ...edges },
      });
      expect([answerWithEdges.errors, answerWithEdges.warnings]).toEqual([undefined, undefined]);
      const foreignEdges = { ...edges, events: [], bucket: {}, start: { date: '2026-12-25', calendar: {} } };
      expect(listAllIssues(await gateway.ask(patchMutation, { e: foreignEdges })).sort()).toEqual(
        ['event.bucket', 'event.events', 'event.start.calendar'].map((path) => `${path} invalid`),
      );
      const otherTypesAnswer = await gateway.ask(
        `mutation ($c: CalendarInput!, $n: NotificationInput!, $b: BucketInput!) {
          patchCalendar(calendarId: "primary", validateOnly: true, calendar: $c) { id }
          insertNotification(bucket: "demo-photos", validateOnly: true, notification: $n) { topic }
          patchBucket(bucket: "demo-photos", validateOnly: true, change: $b) { id }
        }`,
        {
          c: { event: null, events: { nodes: [] }, access: [], feedUrl: 'https://example.com' },
          n: { topic: 'projects/my-project/topics/new', bucket: { name: 'demo-photos' } },
          b: { notifications: [{ id: '1' }] },
        },
      );
      expect([otherTypesAnswer.errors, otherTypesAnswer.warnings]).toEqual([undefined, undefined]);
    });

    test('is an ordinary key in a map', async () => {
      const e = {
        extendedProperties: { private: { __typename: 'x' } },
        gadget: { preferences: { __typename: 'y' } },
      };
      const { data } = await gateway.ask(patchMutation, { e });
      expect(data.patchEvent).toMatchObject({
        extendedProperties: { private: { __typename: 'x' } },
        gadget: { preferences: { __typename: 'y' } },
      });
    });

    test('is an unknown field in a literal', async () => {
      const answer = await patchWithLiteral('{ __typename: "Event", summary: "x" }');
      expect(listAllIssues(answer)).toEqual(['event.__typename invalid']);
    });
  });

  describe('an enum value in quotes', () => {
    test.each([
      ['tentative', 'Write tentative without quotes: it is a value of the enum EventStatus.'],
      ['gone', 'Enum "EventStatus" cannot represent non-enum value: "gone".'],
    ])('is refused, with a hint if the enum has the value: %s', async (status, message) => {
      const answer = await patchWithLiteral(`{ status: "${status}" }`);
      expect(answer.errors?.[0]?.message).toBe(message);
      expect(listAllIssues(answer)).toEqual(['event.status invalid']);
    });
  });

  describe('a JSONObject', () => {
    const askToPublish = (argument: string, definitions: string, variables: object): Promise<Answer> =>
      gateway.ask(
        `mutation ${definitions} { publishObjectChange(bucket: "demo-photos", validateOnly: true, change: { eventType: OBJECT_FINALIZE, objectId: "albums/x", object: ${argument} }) { messages { data } } }`,
        variables,
      );
    const publishObject = async (argument: string, definitions = '', variables = {}): Promise<unknown> => {
      const { data, errors } = await askToPublish(argument, definitions, variables);
      expect(errors).toBeUndefined();
      return JSON.parse(data.publishObjectChange.messages[0].data as string);
    };

    beforeAll(async () => {
      await gateway.ask(
        'mutation { insertNotification(bucket: "demo-photos", notification: { topic: "projects/my-project/topics/json" }) { id } }',
      );
    });

    test('is kept as sent, whatever its keys', async () => {
      const json =
        '{"a":null,"b":[1,-2.5,true,{"c":""}],"__proto__":{"x":1},"constructor":"y","__typename":"z"}';
      const literal =
        '{ a: null, b: [1, -2.5, true, { c: "" }], __proto__: { x: 1 }, constructor: "y", __typename: "z" }';
      const publishedVariable = await publishObject('$o', '($o: JSONObject)', {
        o: JSON.parse(json) as object,
      });
      expect(JSON.stringify(publishedVariable)).toBe(json);
      expect(JSON.stringify(await publishObject(literal))).toBe(json);
      expect(({} as { x?: number }).x).toBeUndefined();
    });

    test('may have variables inside; an unsent one leaves its key out', async () => {
      const publishedObject = await publishObject('{ a: $a, b: $b, c: [$a] }', '($a: String, $b: String)', {
        a: 'x',
      });
      expect(publishedObject).toEqual({ a: 'x', c: ['x'] });
    });

    test.each(['1e400', '-1e400', '[{ deep: 1e400 }]'])('is refused with %s, as not JSON', async (value) =>
      expect(listAllIssues(await askToPublish(`{ fine: 1, n: ${value} }`, '', {}))).toEqual([
        'change.object.n invalid',
      ]),
    );

    test('is refused in a variable as well', async () => {
      const query =
        'mutation ($o: JSONObject) { publishObjectChange(bucket: "demo-photos", change: { eventType: OBJECT_FINALIZE, objectId: "x", object: $o }) { messages { data } } }';
      const payload = `{ "query": ${JSON.stringify(query)}, "variables": { "o": { "n": [1e400] } } }`;
      const authorization = `Bearer ${await tokenFor('alice@example.com')}`;
      const headers = { 'content-type': 'application/json', authorization };
      const response = await gateway.app.inject({ method: 'POST', url: '/graphql', headers, payload });
      expect(listAllIssues(response.json())).toEqual(['change.object.n invalid']);
    });

    test.each(['5', '"{}"', '[]'])('is an object and not %s', async (value) => {
      expect(listAllIssues(await askToPublish(value, '', {}))).toEqual(['change.object invalid']);
      expect(
        listAllIssues(await askToPublish('$o', '($o: JSONObject)', { o: JSON.parse(value) as unknown })),
      ).toEqual(['change.object invalid']);
    });
  });
});
