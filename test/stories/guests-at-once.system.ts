import { setImmediate } from 'node:timers/promises';
import { alice, hour, many, startEvents, type EventGateway, type Shown } from '../event/event.harness.ts';
import { describeWithPostgres } from '../postgres-server.ts';
import { usePostgres } from '../random/worlds.ts';

/** Changes of one event take turns, and on a cluster each of them takes a statement for each calendar. */
const size = process.env.CITUS_URL ? 20 : 100;
const callers = many(size, (index) => `caller${index}@example.com`);
const newcomers = many(size, (index) => `newcomer${index}@elsewhere.example`);
/** With them the list gets full. */
const others = many(200 - 2 * size, (index) => `other${index}@elsewhere.example`);
const calendars = [alice, ...callers].map((owner) => ({ id: owner, owner, timeZone: 'Europe/Berlin' }));
/** A small answer, for many requests at once. */
const brief =
  'mutation ($id: String!, $changes: AttendeeChangesInput, $event: EventInput!) { result: patchEvent(calendarId: "primary", eventId: $id, attendeeChanges: $changes, event: $event) { etag } }';

function suite(open: () => Promise<readonly EventGateway[]>): void {
  let gateways: readonly EventGateway[];
  beforeAll(async () => {
    gateways = await open();
  });
  afterAll(() => Promise.all(gateways.map((gateway) => gateway.close())));
  const on = (index: number): EventGateway => gateways[index % gateways.length] as EventGateway;

  test('all are there, in no other order than they came, and all answers that came meanwhile are kept', async () => {
    const { id } = await on(0).make({
      ...hour,
      attendees: [...callers, ...others].map((email) => ({ email })),
    });
    const answers = callers.filter((_, index) => index % 3 === 0);
    const requests = [
      ...callers.map(
        (as, index) =>
          [
            as,
            { id, changes: { add: [{ email: newcomers[index], displayName: `Guest of ${as}` }] }, event: {} },
          ] as const,
      ),
      // Half in one way, half in the other.
      ...answers.map((email, index) => {
        const entry = { email, responseStatus: 'accepted', comment: `Yes, ${index}` };
        return [
          email,
          index % 2 === 0
            ? { id, event: { attendeesOmitted: true, attendees: [entry] } }
            : { id, changes: { add: [entry] }, event: {} },
        ] as const;
      }),
    ];
    const outcomes = await Promise.all(
      requests.map(([as, variables], index) => on(index).run(brief, variables, as)),
    );
    expect(outcomes.flatMap(({ problems }) => problems)).toEqual([]);
    expect(new Set(outcomes.map(({ event }) => event.etag)).size).toBe(requests.length);
    for (const gateway of gateways) {
      const attendees: Shown[] = (await gateway.on(alice, id)).attendees;
      expect(
        attendees
          .slice(0, size)
          .map(({ email, responseStatus, comment }) => ({ email, responseStatus, comment })),
      ).toEqual(
        callers.map((email) => {
          const index = answers.indexOf(email);
          return index < 0
            ? { email, responseStatus: 'needsAction', comment: null }
            : { email, responseStatus: 'accepted', comment: `Yes, ${index}` };
        }),
      );
      expect(
        attendees
          .slice(200 - size)
          .map(({ email, displayName }) => [email, displayName])
          .sort(),
      ).toEqual(newcomers.map((email, index) => [email, `Guest of ${callers[index]}`]).sort());
    }
    // The list is full.
    const { problems } = await on(1).patch(
      id,
      {},
      { attendeeChanges: { add: [{ email: 'late@elsewhere.example' }] } },
    );
    expect(problems).toEqual(['BAD_USER_INPUT attendeeChanges tooMany']);
  });

  test('and as many who take one off each leave nobody behind', async () => {
    const { id } = await on(0).make({ ...hour, attendees: newcomers.map((email) => ({ email })) });
    const outcomes = await Promise.all(
      newcomers.map((email, index) => on(index).run(brief, { id, changes: { remove: [email] }, event: {} })),
    );
    expect(outcomes.flatMap(({ problems }) => problems)).toEqual([]);
    expect((await on(1).on(alice, id)).attendees).toEqual([]);
  });
}

describe(`${size} callers who add a guest each at once, in memory:`, () =>
  suite(async () => {
    const gateway = await startEvents({ seed: { calendars } });
    // A store that answers after others had their turn, as one behind a network does.
    const store = gateway.stores.events as unknown as Record<string, (...inputs: unknown[]) => unknown>;
    for (const [name, method] of Object.entries(store)) {
      store[name] = async (...inputs) => {
        await setImmediate();
        return method(...inputs);
      };
    }
    return [gateway];
  }));

describeWithPostgres(`${size} callers who add a guest each at once, over two gateways on PostgreSQL:`, () => {
  const { fresh } = usePostgres();
  suite(async () => {
    const env = { DATABASE_URL: await fresh() };
    return [await startEvents({ seed: { calendars } }, env), await startEvents({ seed: { calendars } }, env)];
  });
});
