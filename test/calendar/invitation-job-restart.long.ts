import { eventually } from '../eventually.ts';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';

const [alice, dora] = ['alice@example.com', 'dora@example.com'] as const;
const invitationCount = 300;
const listEventsQuery = '{ events(calendarId: "primary", first: 2500) { nodes { id } } }';

describeWithPostgres('a gateway that is killed while it copies invitations to a new calendar', () => {
  let database: TestDatabase;
  let gateway: GatewayProcess | undefined;
  beforeAll(async () => void (database = await createDatabase()));
  afterAll(async () => {
    await gateway?.kill();
    await database?.remove();
  });

  const startServer = (): Promise<GatewayProcess> =>
    startGatewayProcess({ DATABASE_URL: database.url, SEED_FILE: '' });
  const countEvents = async (): Promise<number> => {
    const response = await gateway?.ask(await tokenFor(dora), listEventsQuery);
    return (response?.data as { events: { nodes: unknown[] } } | undefined)?.events.nodes.length ?? 0;
  };

  test('leaves them to the next gateway', async () => {
    gateway = await startServer();
    const times = 'start: { dateTime: "2030-01-01T10:00:00Z" }, end: { dateTime: "2030-01-01T11:00:00Z" }';
    const inserts = Array.from(
      { length: 50 },
      (_, index) =>
        `e${index}: insertEvent(calendarId: "primary", event: { ${times}, attendees: [{ email: "${dora}" }] }) { id }`,
    );
    const insertBatch = `mutation { ${inserts.join(' ')} }`;
    for (let insertedCount = 0; insertedCount < invitationCount; insertedCount += 50)
      await gateway.ask(await tokenFor(alice), insertBatch);
    const copiedCount = await countEvents();
    await gateway.kill();
    expect([copiedCount > 0, copiedCount < invitationCount]).toEqual([true, true]);
    gateway = await startServer();
    await eventually(async () => expect(await countEvents()).toBe(invitationCount));
  });
});
