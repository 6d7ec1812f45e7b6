import { eventually } from '../eventually.ts';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';

const [alice, dora] = ['alice@example.com', 'dora@example.com'] as const;
const invitations = 300;
const list = '{ events(calendarId: "primary", first: 2500) { nodes { id } } }';

describeWithPostgres('a gateway that is killed while invitations come to a new calendar', () => {
  let database: TestDatabase;
  let gateway: GatewayProcess | undefined;
  beforeAll(async () => void (database = await createDatabase()));
  afterAll(async () => {
    await gateway?.kill();
    await database?.remove();
  });

  const start = (): Promise<GatewayProcess> =>
    startGatewayProcess({ DATABASE_URL: database.url, SEED_FILE: '' });
  const count = async (): Promise<number> => {
    const answer = await gateway?.ask(await tokenFor(dora), list);
    return (answer?.data as { events: { nodes: unknown[] } } | undefined)?.events.nodes.length ?? 0;
  };

  test('leaves them to the next one', async () => {
    gateway = await start();
    const times = 'start: { dateTime: "2030-01-01T10:00:00Z" }, end: { dateTime: "2030-01-01T11:00:00Z" }';
    const inserts = Array.from(
      { length: 50 },
      (_, index) =>
        `e${index}: insertEvent(calendarId: "primary", event: { ${times}, attendees: [{ email: "${dora}" }] }) { id }`,
    );
    const insert = `mutation { ${inserts.join(' ')} }`;
    for (let made = 0; made < invitations; made += 50) await gateway.ask(await tokenFor(alice), insert);
    const first = await count();
    await gateway.kill();
    expect([first > 0, first < invitations]).toEqual([true, true]);
    gateway = await start();
    await eventually(async () => expect(await count()).toBe(invitations));
  });
});
