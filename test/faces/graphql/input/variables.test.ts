import { useGateway, type Answer } from '../../../harness.ts';
import { listAllIssues } from './list-issues.ts';

const patchMutation = `mutation ($event: EventInput!) {
  patchEvent(calendarId: "primary", eventId: "teammeeting", event: $event) { summary etag }
}`;

/** The issues of a response's only error, as `path reason`. */
function readIssuesOfOnlyError(answer: Answer): string[] {
  expect(answer.errors).toHaveLength(1);
  const [error] = answer.errors ?? [];
  expect(error?.extensions.code).toBe('BAD_USER_INPUT');
  expect(error?.extensions.reason).toBe(error?.extensions.issues[0]?.reason);
  return (error?.extensions.issues ?? []).map(({ path, reason }) => `${path.join('.')} ${reason}`).sort();
}

describe('input that violates the schema', () => {
  const gateway = useGateway();

  const patchEvent = (event: unknown): Promise<Answer> => gateway.ask(patchMutation, { event });
  const patchWithLiteral = (event: string, definitions = '', variables = {}): Promise<Answer> =>
    gateway.ask(
      `mutation ${definitions} { patchEvent(calendarId: "primary", eventId: "teammeeting", event: ${event}) {
        summary description extendedProperties { private } } }`,
      variables,
    );

  describe('in variables', () => {
    test.each<[string, unknown, string[]]>([
      ['a number for a text', { summary: 1 }, ['event.summary invalid']],
      ['a text for a flag', { locked: 'yes' }, ['event.locked invalid']],
      ['a fraction', { gadget: { width: 1.5 } }, ['event.gadget.width invalid']],
      ['an invalid date', { start: { date: '2026-13-01' } }, ['event.start.date invalid']],
      ['an invalid date and time', { start: { dateTime: 'soon' } }, ['event.start.dateTime invalid']],
      ['a number for a date and time', { end: { dateTime: 5 } }, ['event.end.dateTime invalid']],
      ['a date and time without offset', { created: '2026-05-04T09:30:00' }, ['event.created invalid']],
      ['an unknown enum value', { status: 'gone' }, ['event.status invalid']],
      ['a number for an enum value', { visibility: 1 }, ['event.visibility invalid']],
      ['an unknown field', { color: '1' }, ['event.color invalid']],
      ['an unknown field of an inner object', { start: { zone: 'x' } }, ['event.start.zone invalid']],
      [
        'an unknown field in a list',
        { attendees: [{ email: 'a@b.example' }, { mail: 'x' }] },
        ['event.attendees.1.email required', 'event.attendees.1.mail invalid'],
      ],
      ['a text for an object', { reminders: 'none' }, ['event.reminders invalid']],
      ['a list for an object', { gadget: [] }, ['event.gadget invalid']],
      ['a number among texts', { recurrence: ['RRULE:FREQ=DAILY', 7] }, ['event.recurrence.1 invalid']],
      ['null in a list', { attendees: [null] }, ['event.attendees.0 required']],
      ['a text in a list of objects', { attachments: ['x'] }, ['event.attachments.0 invalid']],
      ['a list for a map', { gadget: { preferences: ['a'] } }, ['event.gadget.preferences invalid']],
      [
        'numbers and lists in a map',
        { extendedProperties: { private: { a: 1, b: 'x', c: ['y'] } } },
        ['event.extendedProperties.private.a invalid', 'event.extendedProperties.private.c invalid'],
      ],
      ['a text for the argument', 'x', ['event invalid']],
      ['null for the argument', null, ['event required']],
      ['no argument', undefined, ['event required']],
    ])('%s is named with its path', async (_what, event, issues) => {
      const answer = await patchEvent(event);
      expect(answer.status).toBe(200);
      expect(answer.data).toBeUndefined();
      expect(readIssuesOfOnlyError(answer)).toEqual(issues);
    });

    test('issues of other arguments of the field are reported too', async () => {
      const range = 'timeMin: "2030-01-01T00:00:00Z", timeMax: "2029-01-01T00:00:00Z"';
      const listWithVariable = (argument: string, type: string, value: unknown) =>
        gateway.ask(
          `query ($value: ${type}, $order: EventOrder) { ...list }
        fragment list on Query { events(calendarId: "primary", ${argument}: $value, orderBy: $order, maxAttendees: 0, ${range}) { nodes { id } } }`,
          { value, order: 'startTime' },
        );
      const [maxAttendeesProblem, timeProblem] = ['maxAttendees invalid', 'timeMax invalid'];
      const [firstProblem, orderProblem, singleEventsProblem] = ['first', 'orderBy', 'singleEvents'].map(
        (name) => `${name} invalid`,
      );
      expect(readIssuesOfOnlyError(await listWithVariable('first', 'Int', 'x'))).toEqual([
        firstProblem,
        maxAttendeesProblem,
        orderProblem,
        timeProblem,
      ]);
      expect(readIssuesOfOnlyError(await listWithVariable('singleEvents', 'Boolean', 'x'))).toEqual([
        maxAttendeesProblem,
        singleEventsProblem,
        timeProblem,
      ]);
      const shareAnswer = await gateway.ask(
        'mutation ($role: CalendarAccessRole!) { ... { setCalendarAccess(calendarId: "primary", email: "zzz", role: $role) { email } } }',
        { role: 'king' },
      );
      expect(readIssuesOfOnlyError(shareAnswer)).toEqual(['email invalid', 'role invalid']);
      const freeBusyAnswer = await gateway.ask(
        'query ($ids: [String!]!) { freeBusy(calendarIds: $ids, timeMin: "2030-01-01T00:00:00Z", timeMax: "2029-01-01T00:00:00Z") { calendarId } calendars { id } }',
        { ids: [5] },
      );
      expect(readIssuesOfOnlyError(freeBusyAnswer)).toEqual(['calendarIds.0 invalid', 'timeMax invalid']);
    });

    test('the valid parts of a notification and of an object change are checked too', async () => {
      const notification = {
        topic: 'wrong',
        id: 5,
        event_types: ['OBJECT_FINALIZE', 'X'],
        custom_attributes: { a: 1, goog1: 'x' },
      };
      const change = { eventTime: 'now', objectGeneration: 'x', object: 5 };
      const insertMutation =
        'mutation ($n: NotificationInput!) { insertNotification(bucket: "demo-photos", notification: $n) { id } }';
      const publishMutation =
        'mutation ($c: ObjectChangeInput!) { publishObjectChange(bucket: "demo-photos", change: $c) { messages { topic } } }';
      expect(readIssuesOfOnlyError(await gateway.ask(insertMutation, { n: notification }))).toEqual([
        'notification.custom_attributes.a invalid',
        'notification.custom_attributes.goog1 invalid',
        'notification.event_types.1 invalid',
        'notification.id invalid',
        'notification.topic invalid',
      ]);
      expect(readIssuesOfOnlyError(await gateway.ask(publishMutation, { c: change }))).toEqual([
        'change.eventTime invalid',
        'change.eventType required',
        'change.object invalid',
        'change.objectGeneration invalid',
        'change.objectId required',
      ]);
    });

    test('a write with a coercion error stores nothing', async () => {
      const event = { summary: 'Never stored', start: { date: '2030-05-05' }, end: { date: '2030-05-06' } };
      const writes = [
        '($x: Int, $e: EventInput!) { insertEvent(calendarId: "primary", event: $e, maxAttendees: $x) { id } }',
        '($x: Int) { patchEvent(calendarId: "primary", eventId: "launch", event: { summary: "Never stored" }, maxAttendees: $x) { id } }',
        '($x: String) { insertNotification(bucket: "demo-drafts", notification: {}, requestId: $x) { id } }',
        '($x: String) { insertCalendar(calendar: { summary: "Never stored" }, requestId: $x) { id } }',
        '($x: String) { insertBucket(project: "demo-project", bucket: { name: "never-stored" }, requestId: $x) { id } }',
        '($x: String) { deleteEvent(calendarId: "primary", eventId: "launch", ifMatch: $x) }',
      ];
      const readEverything = `{ events(calendarId: "primary", first: 2500, showDeleted: true) { nodes { id etag } }
        calendars { id } buckets(project: "demo-project") { nodes { name } } notifications(bucket: "demo-drafts") { id } }`;
      const { data: dataBefore } = await gateway.ask(readEverything);
      for (const document of writes) {
        const answer = await gateway.ask(`mutation ${document}`, { e: event, x: [{}] });
        expect([document, readIssuesOfOnlyError(answer).length]).toEqual([document, 1]);
      }
      expect(dataBefore.events.nodes.length).toBeGreaterThan(5);
      expect((await gateway.ask(readEverything)).data).toEqual(dataBefore);
    });

    test('paths start with the argument, whatever the name and position of the variable', async () => {
      const answer = await gateway.ask(
        `mutation ($c: String!, $s: String, $g: [EventAttendeeInput!], $line: String!, $n: Int, $p: String) {
          ...Change
        }
        fragment Change on Mutation {
          patchEvent(calendarId: $c, eventId: "teammeeting", maxAttendees: $n, event: {
            summary: $s, attendees: $g, recurrence: ["RRULE:FREQ=DAILY", $line], extendedProperties: { private: { k: $p } }
          }) { id }
        }`,
        { c: 1, s: true, g: [{ email: 1 }], line: null, n: 'x', p: 3 },
      );
      expect(readIssuesOfOnlyError(answer)).toEqual([
        'calendarId invalid',
        'event.attendees.0.email invalid',
        'event.extendedProperties.private.k invalid',
        'event.recurrence.1 required',
        'event.summary invalid',
        'maxAttendees invalid',
      ]);
    });

    test('paths are those of the operation that runs', async () => {
      const document = `
        mutation A($v: EventInput!) { patchEvent(calendarId: "primary", eventId: "teammeeting", event: $v) { id } }
        mutation B($v: NotificationInput!) { insertNotification(bucket: "demo-photos", notification: $v) { id } }`;
      const answer = await gateway.ask(document, { v: { topic: 1 } }, { operationName: 'B' });
      expect(readIssuesOfOnlyError(answer)).toEqual(['notification.topic invalid']);
    });

    test('a variable with a default may be omitted, but not null', async () => {
      const readQuery =
        'query ($id: String! = "teammeeting") { event(calendarId: "primary", eventId: $id) { id } }';
      expect((await gateway.ask(readQuery)).data.event.id).toBe('teammeeting');
      expect(readIssuesOfOnlyError(await gateway.ask(readQuery, { id: null }))).toEqual(['eventId required']);
      const query = 'query ($id: String! = "x", $b: String!) { event(calendarId: $b, eventId: $id) { id } }';
      expect(readIssuesOfOnlyError(await gateway.ask(query))).toEqual(['calendarId required']);
    });

    test('__proto__ is refused as key and as field, and changes no prototype', async () => {
      const event = JSON.parse(
        '{"extendedProperties":{"private":{"__proto__":"x"}},"__proto__":{"polluted":1}}',
      ) as unknown;
      expect(readIssuesOfOnlyError(await patchEvent(event))).toEqual([
        'event.__proto__ invalid',
        'event.extendedProperties.private.__proto__ invalid',
      ]);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
    });
  });

  describe('in literals', () => {
    const sharedPath = 'event.extendedProperties.shared';
    test.each<[string, string, string[]]>([
      ['null in a list', '{ attendees: [{ email: "a@b.example" }, null] }', ['event.attendees.1 required']],
      [
        'wrong values in a map',
        '{ extendedProperties: { shared: { a: 1, b: "x", c: d, __proto__: "x" } } }',
        [`${sharedPath}.__proto__ invalid`, `${sharedPath}.a invalid`, `${sharedPath}.c invalid`],
      ],
    ])('%s is named with its path', async (_what, event, issues) => {
      const answer = await patchWithLiteral(event);
      expect(answer.data).toBeUndefined();
      for (const { extensions } of answer.errors ?? []) expect(extensions.code).toBe('BAD_USER_INPUT');
      expect(listAllIssues(answer)).toEqual(issues);
    });

    test.each<[string, string, string[]]>([
      [
        'no arguments',
        'mutation { insertNotification { id } }',
        ['bucket required', 'notification required'],
      ],
      [
        'null for an argument',
        '{ event(calendarId: "primary", eventId: null) { id } }',
        ['eventId required'],
      ],
      [
        'an unknown argument',
        '{ event(calendarId: "primary", eventId: "x", bogus: 1) { id } }',
        ['bogus invalid'],
      ],
      [
        'missing fields',
        'mutation { publishObjectChange(bucket: "demo-photos", change: {}) { messages { topic } } }',
        ['change.eventType required', 'change.objectId required'],
      ],
      [
        'a variable of another type',
        'query ($n: Int) { event(calendarId: "primary", eventId: "x", alwaysIncludeEmail: $n) { id } }',
        ['alwaysIncludeEmail invalid'],
      ],
      ['an unknown field', '{ event(calendarId: "primary", eventId: "x") { nope } }', [' invalid']],
      [
        'an unused variable beside a wrong value',
        'query ($n: Int) { event(calendarId: 1, eventId: "x") { id } }',
        [' invalid', 'calendarId invalid'],
      ],
      ['half a document', '{ event(', [' invalid']],
    ])('%s is reported with the path of its argument', async (_what, document, issues) => {
      const answer = await gateway.ask(document);
      expect(answer.data).toBeUndefined();
      expect(listAllIssues(answer)).toEqual(issues);
      for (const { extensions } of answer.errors ?? [])
        expect(extensions).toMatchObject({ code: 'BAD_USER_INPUT', reason: extensions.issues[0]?.reason });
    });

    test('a map entry by a variable of another type is refused with the path of the argument', async () => {
      const event = '{ summary: "never stored", extendedProperties: { private: { k: $n } } }';
      const answer = await patchWithLiteral(event, '($n: Int)', { n: 5 });
      expect(readIssuesOfOnlyError(answer)).toEqual(['event invalid']);
      expect(answer.data).toEqual({ patchEvent: null });
    });
  });

  describe('a variable that was not sent', () => {
    const document = `mutation ($d: String, $k: String, $s: String) {
      patchEvent(calendarId: "primary", eventId: "workshop", event: {
        summary: $s, location: $d, extendedProperties: { private: { ticket: $k, more: "x" } }
      }) { summary location extendedProperties { private } }
    }`;

    test('leaves its field unchanged, in an input and in a map, and null clears it', async () => {
      const { data } = await gateway.ask(document, { d: 'Hall' });
      const extendedProperties = { private: { ticket: 'W-17', more: 'x' } };
      expect(data.patchEvent).toEqual({ summary: 'Workshop', location: 'Hall', extendedProperties });
      const { data: clearedData } = await gateway.ask(document, { d: null, k: null, s: null });
      const otherFields = { extendedProperties: { private: { more: 'x' } } };
      expect(clearedData.patchEvent).toEqual({ summary: null, location: null, ...otherFields });
    });
  });
});
