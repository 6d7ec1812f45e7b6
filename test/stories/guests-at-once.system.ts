import {
  alice,
  oneHour,
  makeMany,
  startEventGateway,
  type EventGateway,
  type EventJson,
} from '../event/event.harness.ts';
import { describeWithPostgres, usePostgres } from '../postgres-server.ts';

/** More callers would not find more: changes of one event run one after the other. */
const callerCount = 20;
const callers = makeMany(callerCount, (index) => `caller${index}@example.com`);
const newcomers = makeMany(callerCount, (index) => `newcomer${index}@elsewhere.example`);
/** Guests that fill the list up to its limit of 200. */
const otherGuests = makeMany(200 - 2 * callerCount, (index) => `other${index}@elsewhere.example`);
const seed = { calendars: [alice, ...callers].map((owner) => ({ id: owner, owner, timeZone: 'UTC' })) };
/** Selects one field only, since many requests run concurrently. */
const patchMutation =
  'mutation ($id: String!, $changes: AttendeeChangesInput, $event: EventInput!) { result: patchEvent(calendarId: "primary", eventId: $id, attendeeChanges: $changes, event: $event) { etag } }';

describeWithPostgres(`${callerCount} callers who add a guest each at once, over two gateways:`, () => {
  const { createMigratedUrl } = usePostgres();
  let gateways: readonly [EventGateway, EventGateway];
  beforeAll(async () => {
    const env = { DATABASE_URL: await createMigratedUrl() };
    gateways = [await startEventGateway({ seed }, env), await startEventGateway({ seed }, env)];
  });
  afterAll(() => Promise.all(gateways.map((gateway) => gateway.close())));
  const gatewayAt = (index: number): EventGateway => gateways[index % 2] as EventGateway;

  test('all guests are added after the existing ones, and concurrent responses are kept', async () => {
    const attendeesBefore = [...callers, ...otherGuests].map((email) => ({ email }));
    const { id } = await gatewayAt(0).makeEvent({ ...oneHour, attendees: attendeesBefore });
    const respondingCallers = callers.filter((_, index) => index % 3 === 0);
    const additionOf = (entry: object): object => ({ id, changes: { add: [entry] }, event: {} });
    const requests: (readonly [string, object])[] = [
      ...callers.map(
        (as, index) => [as, additionOf({ email: newcomers[index], displayName: `Of ${as}` })] as const,
      ),
      // Half of the responses are sent by attendees, half by attendeeChanges.
      ...respondingCallers.map((email, index) => {
        const entry = { email, responseStatus: 'accepted', comment: `Yes, ${index}` };
        const ownResponse = { id, event: { attendeesOmitted: true, attendees: [entry] } };
        return [email, index % 2 === 0 ? ownResponse : additionOf(entry)] as const;
      }),
    ];
    const sendRequest = ([as, variables]: readonly [string, object], index: number) =>
      gatewayAt(index).run(patchMutation, variables, as);
    const outcomes = await Promise.all(requests.map(sendRequest));
    expect(outcomes.flatMap(({ problems }) => problems)).toEqual([]);
    expect(new Set(outcomes.map(({ event }) => event.etag)).size).toBe(requests.length);
    for (const gateway of gateways) {
      const attendees: EventJson[] = (await gateway.readOn(alice, id)).attendees;
      expect(attendees.slice(0, callerCount)).toMatchObject(
        callers.map((email) => {
          const index = respondingCallers.indexOf(email);
          return index < 0
            ? { email, responseStatus: 'needsAction', comment: null }
            : { email, responseStatus: 'accepted', comment: `Yes, ${index}` };
        }),
      );
      const addedGuests = attendees
        .slice(200 - callerCount)
        .map(({ email, displayName }) => `${email} ${displayName}`);
      expect(addedGuests.sort()).toEqual(
        newcomers.map((email, index) => `${email} Of ${callers[index]}`).sort(),
      );
    }
    // The list is full.
    const lateAddition = { attendeeChanges: { add: [{ email: 'late@elsewhere.example' }] } };
    expect((await gatewayAt(1).patch(id, {}, lateAddition)).problems).toEqual([
      'BAD_USER_INPUT attendeeChanges tooMany',
    ]);
  });
});
