import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres } from '../../../src/adapters/postgres/open.ts';
import { runCommand } from '../../gateway-process.ts';
import { startGateway } from '../../harness.ts';
import { silentLog } from '../../log-lines.ts';
import { describeWithPostgres, queryOnce, usePostgres } from '../../postgres-server.ts';
import { putCalendar } from '../../contracts/event-samples.ts';
import { putBucket } from '../../contracts/samples.ts';
import { useCloser } from '../../use-resource.ts';

const databaseOptions = { clock: Date.now, log: silentLog, maxConnections: 10 };
const readEventQuery = '{ result: event(calendarId: "primary", eventId: "teammeeting") { summary } }';
const bucket = { name: 'stored', project: 'some-project', requesterPays: false, managers: [] };
const minimalCalendar = (id: string) => ({ id, owner: id, timeZone: 'UTC' });

describeWithPostgres('a new database', () => {
  const { createEmptyUrl } = usePostgres();
  const closeLater = useCloser();
  const startUntilTestEnd = async (...args: Parameters<typeof startGateway>) =>
    closeLater(await startGateway(...args));

  test('is set up by the first start, and keeps changes over a restart', async () => {
    const DATABASE_URL = await createEmptyUrl();
    for (const summary of ['Team meeting', 'Moved']) {
      const gateway = await startUntilTestEnd({ DATABASE_URL });
      expect((await gateway.ask(readEventQuery)).data).toEqual({ result: { summary } });
      await gateway.ask(
        'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Moved" }) { id } }',
      );
    }
  });

  test('gets its tables by `migrate`, which may run again', async () => {
    const url = await createEmptyUrl();
    const successResult = { code: 0, stdout: 'The tables are up to date.\n', stderr: '' };
    for (let round = 0; round < 2; round += 1)
      expect(await runCommand('migrate', [], { DATABASE_URL: url })).toEqual(successResult);
    expect(await queryOnce(url, 'SELECT id FROM calendars')).toEqual([]);
  });

  describe('and a seed file', () => {
    let folder: string;
    let SEED_FILE: string;
    const events = Array.from({ length: 600 }, (_, index) => ({
      id: `event${index}`,
      start: { date: '2030-01-01' },
      end: { date: '2030-01-02' },
    }));
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'seed-'));
      SEED_FILE = join(folder, 'seed.json');
      writeFileSync(
        SEED_FILE,
        JSON.stringify({ calendars: [{ ...minimalCalendar('alice@example.com'), events }] }),
      );
    });
    afterAll(() => rmSync(folder, { recursive: true }));
    test('starts empty without it, with a notice, and loads it once at a later start', async () => {
      const DATABASE_URL = await createEmptyUrl();
      const startAndList = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
        const gateway = await startUntilTestEnd(
          { DATABASE_URL, PRIMARY_CALENDARS: 'off', ...env },
          { seed: undefined },
        );
        const { data } = await gateway.ask('{ events(calendarId: "primary", first: 1000) { nodes { id } } }');
        return { notices: gateway.startupMessages, events: data.events?.nodes };
      };
      const notice = 'The store starts empty. Set SEED_FILE to load calendars and buckets.';
      expect(await startAndList({})).toEqual({ notices: [notice], events: undefined });
      const loadedEvents = events.map(({ id }) => ({ id }));
      expect(await startAndList({ SEED_FILE })).toEqual({ notices: [], events: loadedEvents });
      expect(await startAndList({ SEED_FILE })).toEqual({
        notices: ['SEED_FILE was not loaded: the database has data.'],
        events: loadedEvents,
      });
      expect(await startAndList({})).toEqual({ notices: [], events: loadedEvents });
    });

    test('does not load it into a database that already has data', async () => {
      const DATABASE_URL = await createEmptyUrl();
      const firstGateway = await startUntilTestEnd({ DATABASE_URL }, { seed: undefined });
      await putBucket(firstGateway.stores.buckets, bucket);
      const secondGateway = await startUntilTestEnd({ DATABASE_URL, SEED_FILE });
      expect(secondGateway.startupMessages).toEqual(['SEED_FILE was not loaded: the database has data.']);
      expect(await secondGateway.stores.calendars.calendars([{ id: 'alice@example.com' }])).toEqual([
        undefined,
      ]);
    });

    test("keeps nothing of a refused seed, but another gateway's changes", async () => {
      const DATABASE_URL = await createEmptyUrl();
      const gateway = await startUntilTestEnd({ DATABASE_URL }, { seed: undefined });
      const { fillOnce, close } = await openPostgres(DATABASE_URL, databaseOptions);
      await expect(
        fillOnce(async ({ buckets }) => {
          await putBucket(buckets, { ...bucket, name: 'refused' });
          await putBucket(gateway.stores.buckets, bucket);
          throw new Error('refused');
        }),
      ).rejects.toThrow('refused');
      await close();
      expect(await gateway.stores.buckets.buckets(['refused', 'stored'])).toEqual([undefined, bucket]);
    });

    test('loads the rest of a seed after a failed change', async () => {
      const { fillOnce, calendars, close } = await openPostgres(await createEmptyUrl(), databaseOptions);
      const calendar = { ...minimalCalendar('bob@example.com'), defaultReminders: [], acl: [] };
      expect(
        await fillOnce(async (stores) => {
          await putCalendar(stores.calendars, calendar);
          await expect(
            putCalendar(stores.calendars, { ...calendar, id: 'not\u0000storable' }),
          ).rejects.toThrow('U+0000');
          await putCalendar(stores.calendars, { ...calendar, id: 'another' });
        }),
      ).toBe('loaded');
      expect(await calendars.calendars([{ id: calendar.id }, { id: 'another' }])).toEqual([
        calendar,
        { ...calendar, id: 'another' },
      ]);
      await close();
    });
  });

  test('is seeded by one of two gateways that start concurrently', async () => {
    const DATABASE_URL = await createEmptyUrl();
    const gateways = await Promise.all([
      startUntilTestEnd({ DATABASE_URL }),
      startUntilTestEnd({ DATABASE_URL }),
    ]);
    const listQuery = '{ events(calendarId: "primary") { nodes { id } } }';
    const [first, second] = await Promise.all(gateways.map((gateway) => gateway.ask(listQuery)));
    expect(second?.data).toEqual(first?.data);
    const ids = (first?.data.events.nodes as { readonly id: string }[]).map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  test('shows at once what an operator changed with SQL, also an access list', async () => {
    const url = await createEmptyUrl();
    const gateway = await startUntilTestEnd({ DATABASE_URL: url });
    const listQuery = '{ events(calendarId: "alice@example.com") { nodes { summary } } }';
    const listEventsAs = (as: string) => gateway.ask(listQuery, {}, { as });
    expect((await listEventsAs('bob@example.com')).data.events.nodes).not.toEqual([]);
    await queryOnce(url, `UPDATE calendars SET body = jsonb_set(body, '{acl}', '[]')`);
    expect((await listEventsAs('bob@example.com')).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await listEventsAs('alice@example.com')).data.events.nodes).not.toEqual([]);
  });
});
