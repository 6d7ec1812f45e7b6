import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { openPostgres } from '../../../src/adapters/postgres/open.ts';
import { startGatewayProcess } from '../../gateway-process.ts';
import { secret, startGateway, tokenFor, type TestGateway } from '../../harness.ts';
import { silentLog } from '../../log-lines.ts';
import {
  describeWithPostgres,
  exceptOnCluster,
  startPostgres,
  type PostgresServer,
} from '../../postgres-server.ts';
import { usePostgres } from '../../random/worlds.ts';
import { startProxy } from '../../tcp-proxy.ts';
import { putCalendar } from '../../contracts/event-samples.ts';
import { addBucket } from '../../contracts/samples.ts';

const built = (name: string): string => fileURLToPath(new URL(`../../../dist/${name}.js`, import.meta.url));
const run = promisify(execFile);
const parts = { clock: Date.now, log: silentLog, connections: 10 };
const reading = '{ result: event(calendarId: "primary", eventId: "teammeeting") { summary } }';

interface Ended {
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
}
/** A command that comes to its end. */
const ended = (name: string, DATABASE_URL: string): Promise<Ended> =>
  run(process.execPath, [built(name)], {
    env: { PATH: process.env.PATH, PORT: '0', AUTH_JWT_SECRET: secret, DATABASE_URL },
  }).catch((error: unknown) => error as Ended);

describeWithPostgres('a database that was just made', () => {
  const { empty } = usePostgres();

  test('is all that a start needs, and what is written there is there after the next one', async () => {
    const url = await empty();
    const token = await tokenFor('alice@example.com');
    for (const summary of ['Team meeting', 'Moved']) {
      const gateway = await startGatewayProcess({ DATABASE_URL: url });
      expect((await gateway.ask(token, reading))?.data).toEqual({ result: { summary } });
      await gateway.ask(
        token,
        'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Moved" }) { id } }',
      );
      await gateway.kill();
    }
  });

  test('gets its tables by the command of their own, which may come again', async () => {
    const url = await empty();
    for (let round = 0; round < 2; round += 1)
      expect(await ended('migrate', url)).toMatchObject({
        stdout: 'The tables are up to date.\n',
        stderr: '',
      });
    const client = new pg.Client(url);
    await client.connect();
    expect((await client.query('SELECT count(*)::int AS count FROM calendars')).rows).toEqual([{ count: 0 }]);
    await client.end();
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
        JSON.stringify({
          calendars: [{ id: 'alice@example.com', owner: 'alice@example.com', timeZone: 'UTC', events }],
        }),
      );
    });
    afterAll(() => rmSync(folder, { recursive: true }));
    const open: TestGateway[] = [];
    const started = async (...how: Parameters<typeof startGateway>): Promise<TestGateway> => {
      const gateway = await startGateway(...how);
      open.push(gateway);
      return gateway;
    };
    afterEach(() => Promise.all(open.splice(0).map((gateway) => gateway.close())));

    const idsIn = async (
      env: Readonly<Record<string, string>>,
    ): Promise<{ logged: readonly string[]; ids: string[] | undefined }> => {
      const gateway = await startGatewayProcess({ ...env, PRIMARY_CALENDARS: 'off' });
      const answer = await gateway.ask(
        await tokenFor('alice@example.com'),
        '{ result: events(calendarId: "primary", first: 1000) { nodes { id } } }',
      );
      const logged = gateway.start
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { msg: string }).msg)
        .filter((message) => message.includes('SEED_FILE'));
      expect(gateway.errors()).toBe('');
      await gateway.kill();
      const { result } = answer?.data as { result: { nodes: { id: string }[] } | null };
      return { logged, ids: result?.nodes.map(({ id }) => id) };
    };

    test('starts empty without it, says so in one line of the log, and takes it later, once', async () => {
      const DATABASE_URL = await empty();
      const notice = 'The store starts empty. Set SEED_FILE to load calendars and buckets.';
      for (let round = 0; round < 2; round += 1)
        expect(await idsIn({ DATABASE_URL, SEED_FILE: '' })).toEqual({ logged: [notice], ids: undefined });
      const ids = events.map(({ id }) => id);
      expect(await idsIn({ DATABASE_URL, SEED_FILE })).toEqual({ logged: [], ids });
      expect(await idsIn({ DATABASE_URL, SEED_FILE })).toEqual({
        logged: ['SEED_FILE was not loaded: the database was filled before.'],
        ids,
      });
      expect(await idsIn({ DATABASE_URL, SEED_FILE: '' })).toEqual({ logged: [], ids });
    });

    const bucket = { name: 'stored', project: 'some-project', requesterPays: false, managers: [] };
    test('does not take it where something was stored meanwhile', async () => {
      const DATABASE_URL = await empty();
      const first = await started({ DATABASE_URL }, { seed: undefined });
      await addBucket(first.stores.buckets, bucket);
      const second = await started({ DATABASE_URL, SEED_FILE });
      expect(second.notices).toEqual(['SEED_FILE was not loaded: the database was filled before.']);
      expect(await second.stores.calendars.calendars([{ id: 'alice@example.com' }])).toEqual([undefined]);
    });

    test('that is refused leaves nothing behind, and what another gateway stores meanwhile', async () => {
      const DATABASE_URL = await empty();
      const gateway = await started({ DATABASE_URL }, { seed: undefined });
      const { fillOnce, close } = await openPostgres(DATABASE_URL, parts);
      await expect(
        fillOnce(async ({ buckets }) => {
          await addBucket(buckets, { ...bucket, name: 'refused' });
          await addBucket(gateway.stores.buckets, bucket);
          throw new Error('refused');
        }),
      ).rejects.toThrow('refused');
      await close();
      expect(await gateway.stores.buckets.buckets(['refused', 'stored'])).toEqual([undefined, bucket]);
    });

    test('takes the place of what an earlier version left half loaded', async () => {
      const DATABASE_URL = await empty();
      const { fillOnce, buckets, close } = await openPostgres(DATABASE_URL, parts);
      await addBucket(buckets, bucket);
      const client = new pg.Client(DATABASE_URL);
      await client.connect();
      await client.query(`UPDATE settings SET value = 'begun' WHERE name = 'seed'`);
      await client.end();
      expect([await fillOnce(undefined), await buckets.buckets([bucket.name])]).toEqual([
        'empty',
        [undefined],
      ]);
      await close();
    });

    test('that names a calendar and a bucket twice is refused with all its issues', async () => {
      const calendar = { id: 'bob@example.com', owner: 'bob@example.com', timeZone: 'UTC' };
      const seed = {
        calendars: [calendar, { ...calendar, events: [{ id: 'wrong', colorId: '12' }] }],
        buckets: [bucket, bucket],
      };
      await expect(started({ DATABASE_URL: await empty() }, { seed })).rejects.toMatchObject({
        issues: [
          { path: ['calendars', 1, 'id'], reason: 'duplicate' },
          { path: ['buckets', 1, 'name'], reason: 'duplicate' },
          { path: ['calendars', 1, 'events', 0, 'colorId'] },
          { path: ['calendars', 1, 'events', 0, 'start'] },
          { path: ['calendars', 1, 'events', 0, 'end'] },
        ],
      });
    });

    test('loads on where one change of many fails', async () => {
      const { fillOnce, calendars, close } = await openPostgres(await empty(), parts);
      const calendar = {
        id: 'bob@example.com',
        owner: 'bob@example.com',
        timeZone: 'UTC',
        defaultReminders: [],
        acl: [],
      };
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

  const idsOf = async (gateway: TestGateway): Promise<string[]> =>
    (await gateway.ask('{ result: events(calendarId: "primary") { nodes { id } } }')).data.result.nodes.map(
      ({ id }: { id: string }) => id,
    );

  test('is filled by one of two gateways that start at once', async () => {
    const url = await empty();
    const gateways = await Promise.all([
      startGateway({ DATABASE_URL: url }),
      startGateway({ DATABASE_URL: url }),
    ]);
    const [first, second] = await Promise.all(gateways.map(idsOf));
    expect(new Set(first).size).toBe(first?.length);
    expect(second).toEqual(first);
    for (const gateway of gateways) await gateway.close();
  });

  exceptOnCluster('spread-trips.system.ts counts those there').test(
    'is asked twice by a patch, and once by a list',
    async () => {
      const url = await empty();
      const { port } = new URL(url);
      const proxy = await startProxy(Number(port));
      const gateway = await startGateway({ DATABASE_URL: url.replace(port, String(proxy.port)) });
      const first = await idsOf(gateway);
      const patch = () =>
        gateway.ask(
          'mutation ($s: String!) { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: $s }) { id } }',
          { s: `${Math.random()}` },
        );
      await patch();
      const before = proxy.roundTrips().length;
      for (let index = 0; index < 10; index += 1) expect((await patch()).errors).toBeUndefined();
      // Other work of a gateway goes the same way: new connections, what is told to other gateways, the relay, looks for changes.
      const trips = proxy
        .roundTrips()
        .slice(before)
        .filter((said) => said.includes('alice@example.com') && !said.includes('notify of change'));
      expect(trips.map((said) => /load for change|replace event/.exec(said)?.[0])).toEqual(
        Array.from({ length: 10 }, () => ['load for change', 'replace event']).flat(),
      );
      expect(trips.every((said) => said.includes('BEGIN') === said.includes('COMMIT'))).toBe(true);
      const read = proxy.roundTrips().length;
      for (let index = 0; index < 5; index += 1) expect(await idsOf(gateway)).toEqual(first);
      const lists = proxy
        .roundTrips()
        .slice(read)
        .filter((said) => said.includes('list events') || said.includes('calendar by owner'));
      expect(lists.map((said) => said.includes('list events') && said.includes('calendar by owner'))).toEqual(
        [true, true, true, true, true],
      );
      await gateway.close();
      await proxy.close();
    },
  );

  test('that an operator changes behind a gateway is listed as it is then', async () => {
    const url = await empty();
    const gateway = await startGateway({ DATABASE_URL: url });
    const list = async (as: string) =>
      gateway.ask(
        '{ events(calendarId: "alice@example.com", timeMin: "2026-12-01T00:00:00Z") { nodes { summary } } }',
        {},
        { as },
      );
    const before = await list('bob@example.com');
    expect(before.data.events.nodes.length).toBeGreaterThan(0);
    const change = async (text: string, values: readonly unknown[] = []): Promise<void> => {
      const client = new pg.Client(url);
      await client.connect();
      await client.query(text, [...values]);
      await client.end();
    };
    await change(`UPDATE calendars SET body = jsonb_set(body, '{acl}', '[]') WHERE id = 'alice@example.com'`);
    expect((await list('bob@example.com')).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await list('alice@example.com')).data.events.nodes.length).toBeGreaterThan(0);
    await gateway.close();
  });
});

exceptOnCluster('it sets who may connect').describe('a server that asks for a password', () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres({ settings: ['fsync = off'] })));
  afterAll(() => server?.remove());

  test('refuses a wrong one, with a message that names the variable and not the password', async () => {
    const admin = new pg.Client(server.url);
    await admin.connect();
    await admin.query(`CREATE USER guarded PASSWORD 'right-password'`);
    writeFileSync(
      join(server.folder, 'pg_hba.conf'),
      'host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n',
    );
    await admin.query('SELECT pg_reload_conf()');
    await admin.end();
    const url = server.url.replace('postgres@', 'guarded:wrong-password@');
    for (const command of ['main', 'migrate']) {
      const { code, stdout, stderr } = await ended(command, url);
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        'DATABASE_URL: the database cannot be used: the server refuses the user or the password.\n',
      ]);
    }
  });
});
