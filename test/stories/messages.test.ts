import { alice, many, useEvents, zoned, type Controls } from '../event/event.harness.ts';
import { startRest, type RestGateway } from '../faces/rest/rest.harness.ts';

/** Contract, section 6: messages help whoever reads them. */
describe('messages of events name the remedy', () => {
  const gateway = useEvents();
  const messages = async (body: object, args: Controls = {}): Promise<string[]> => {
    const { id } = await gateway.make(zoned);
    const { errors } = await gateway.patch(id, body, args);
    return errors?.[0]?.extensions.issues?.map(({ message }) => message) ?? [];
  };
  const addressAlone =
    'This must be the address alone: leave out "mailto:", and a name and the <> around it.';

  test.each([
    ['an address with a name', 'Bob <bob@example.com>', addressAlone],
    ['an address as a URL', 'mailto:bob@example.com', addressAlone],
    ['what is no address', 'bob', 'This is not an e-mail address that RFC 5322 allows.'],
  ])('%s', async (_title, email, message) => {
    expect(await messages({ attendees: [{ email }] })).toEqual([message]);
    const share = `mutation ($calendarId: String!, $email: String!) {
      result: setCalendarAccess(calendarId: $calendarId, email: $email, role: reader) { role } }`;
    const { errors } = await gateway.run(share, { calendarId: alice, email });
    expect(errors?.[0]?.message).toBe(message);
  });

  test('more than 100 recurrence lines', async () => {
    const recurrence = many(
      101,
      (index) => `RDATE:20300101T0${Math.floor(index / 60)}${10 + (index % 50)}00Z`,
    );
    expect(await messages({ recurrence })).toEqual([
      'At most 100 recurrence lines are allowed; these are 101. Dates can share a line: RDATE:20261231T090000Z,20270101T090000Z.',
    ]);
  });

  test('a weak ifMatch', async () => {
    const [message] = await messages({ summary: 'x' }, { ifMatch: 'W/"a"' });
    expect(message).toContain('A weak etag (W/"…") never matches: send the etag as it was read, without W/.');
  });
});

describe('messages of HTTP and REST name the remedy', () => {
  let rest: RestGateway;
  beforeAll(async () => {
    rest = await startRest();
  });
  afterAll(() => rest.close());
  const messageOf = async (request: string, headers: Record<string, string> = {}, body?: string) =>
    (await rest.withHeaders(headers).send(request, body)).json.error.errors[0].message as string;

  test('a charset that is written utf8', async () => {
    const headers = { 'content-type': 'application/json; charset=utf8' };
    expect(await messageOf('POST /calendar/v3/calendars/primary/events', headers, '{}')).toBe(
      'The charset of the Content-Type is written utf-8.',
    );
  });

  test('a + that is not encoded', async () => {
    expect(
      await messageOf('GET /calendar/v3/calendars/primary/events?timeMin=2026-01-01T00:00:00+01:00'),
    ).toBe('timeMin: A + in a query means a blank: write %2B before the offset of this time.');
  });
});
