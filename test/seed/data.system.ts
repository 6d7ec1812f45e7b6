import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { demoNow, demoSeed, secret, startGateway } from '../harness.ts';
import { describeWithPostgres } from '../postgres-server.ts';
import { usePostgres } from '../random/worlds.ts';

const run = promisify(execFile);
const command = fileURLToPath(new URL('../../dist/data.js', import.meta.url));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command, to its end. */
async function data(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> {
  const options = {
    env: { PATH: process.env.PATH, AUTH_JWT_SECRET: secret, ...env },
    timeout: 30_000,
    maxBuffer: 64_000_000,
  };
  return run(process.execPath, [command, ...args], options).then(
    (ended) => ({ code: 0, ...ended }),
    (error: unknown) => error as Ended,
  );
}

const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
const work = { id: 'work', owner: 'alice@example.com', timeZone: 'UTC' };

test('data needs a database, and says so', async () => {
  expect(await data({}, 'export')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('DATABASE_URL is not set'),
  });
  expect(await data({}, 'empty')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('It takes export, or import with one file.'),
  });
});

describeWithPostgres('npm run data', () => {
  const { fresh } = usePostgres();
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'data-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (content: unknown): string => {
    const path = join(folder, 'file.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };

  test('takes the demo from one database into another, and writes the same there', async () => {
    const [from, to] = [await fresh(), await fresh()];
    await (await startGateway({ DATABASE_URL: from }, { seed: demoSeed, clock: () => demoNow })).close();
    const first = await data({ DATABASE_URL: from }, 'export');
    expect([first.code, first.stderr]).toEqual([0, '']);
    const path = file(first.stdout);
    expect(await data({ DATABASE_URL: to }, 'import', path)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: ['Calendars: 3', 'Events: 12', 'Buckets: 3', 'Subscriptions: 2']
        .map((added) => `${added} added, 0 changed, 0 unchanged, 0 refused.\n`)
        .join(''),
    });
    expect((await data({ DATABASE_URL: to }, 'export')).stdout).toBe(first.stdout);
    const unchanged = [
      ['Calendars', 3],
      ['Events', 12],
      ['Buckets', 3],
      ['Subscriptions', 2],
    ]
      .map(([kind, count]) => `${kind}: 0 added, 0 changed, ${count} unchanged, 0 refused.\n`)
      .join('');
    for (const url of [from, to])
      expect(await data({ DATABASE_URL: url }, 'import', path)).toMatchObject({ code: 0, stdout: unchanged });
    const [one] = JSON.parse(
      (await data({ DATABASE_URL: to }, 'export', '--calendar', 'bob@example.com')).stdout,
    ).calendars as { id: string; events: { id: string }[] }[];
    expect([one?.id, one?.events.map(({ id }) => id)]).toEqual([
      'bob@example.com',
      ['launch', 'lunch', 'teammeeting', 'training', 'workshop'],
    ]);
  });

  test('replaces what a file names, which syncs tell, and leaves the rest', async () => {
    const url = await fresh();
    const events = [
      { id: 'kept', summary: 'Kept', ...day },
      { id: 'changed', summary: 'Old', ...day },
    ];
    const gateway = await startGateway({ DATABASE_URL: url }, { seed: { calendars: [{ ...work, events }] } });
    const list = `query ($syncToken: String) { events(calendarId: "work", syncToken: $syncToken) { nodes { id summary } nextSyncToken } }`;
    const { nextSyncToken: syncToken } = (await gateway.ask(list)).data.events;
    const given = {
      calendars: [
        {
          ...work,
          timeZone: 'Europe/Berlin',
          acl: [{ email: 'bob@example.com', role: 'reader' }],
          events: [
            { ...events[1], summary: 'New' },
            { id: 'added', ...day },
          ],
        },
      ],
    };
    const { code, stdout } = await data({ DATABASE_URL: url }, 'import', file(given));
    expect([code, stdout.split('\n').slice(0, 2)]).toEqual([
      0,
      [
        'Calendars: 0 added, 1 changed, 0 unchanged, 0 refused.',
        'Events: 1 added, 1 changed, 0 unchanged, 0 refused.',
      ],
    ]);
    expect((await gateway.ask(list, { syncToken })).data.events.nodes).toEqual([
      { id: 'changed', summary: 'New' },
      { id: 'added', summary: null },
    ]);
    expect(
      (
        await gateway.ask(
          '{ event(calendarId: "work", eventId: "kept") { summary } calendar(calendarId: "work") { timeZone accessRole } }',
          {},
          { as: 'bob@example.com' },
        )
      ).data,
    ).toEqual({ event: { summary: 'Kept' }, calendar: { timeZone: 'Europe/Berlin', accessRole: 'reader' } });
    expect((await data({ DATABASE_URL: url }, 'import', file(given))).stdout).toContain(
      'Events: 0 added, 0 changed, 2 unchanged, 0 refused.',
    );
    await gateway.close();
  });

  test('tells what was refused with all issues, and ends with 1 or 2', async () => {
    const url = await fresh();
    const wrong = { id: 'wrong', colorId: '12', ...day };
    const bad = { ...work, id: 'bad', timeZone: 'Mars', events: [wrong] };
    const partly = await data(
      { DATABASE_URL: url },
      'import',
      file({
        calendars: [{ ...work, events: [wrong, { id: 'fine', ...day }, { id: 'fine', ...day }] }, bad],
        buckets: [{ name: 'b', project: 'p', notifications: [{ topic: 'wrong' }] }],
      }),
    );
    expect(partly.code).toBe(1);
    expect(partly.stdout.split('\n').map((line) => line.replace(/(\]|[a-z]): .*/, '$1'))).toEqual(
      [
        'Calendars: 1 added, 0 changed, 0 unchanged, 1 refused.',
        'Events: 1 added, 0 changed, 0 unchanged, 3 refused.',
        'Buckets: 1 added, 0 changed, 0 unchanged, 0 refused.',
        'Subscriptions: 0 added, 0 changed, 0 unchanged, 1 refused.',
        '  calendars[1].timeZone',
        '  calendars[0].events[2].id',
        '  calendars[0].events[0].colorId',
        '  calendars[1].events[0].colorId',
        '  buckets[0].notifications[0].topic',
        '',
      ].map((line) => (line.startsWith(' ') ? line : line.replace(/(\]|[a-z]): .*/, '$1'))),
    );
    expect((await data({ DATABASE_URL: url }, 'import', file({ calendars: [bad] }))).code).toBe(2);
    expect(await data({ DATABASE_URL: url }, 'import', file('{ "calendars": ['))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('cannot be read as JSON'),
    });
    expect(await data({ DATABASE_URL: url }, 'import', file({ calendar: [] }))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('calendar: There is no such field.'),
    });
    expect(await data({ DATABASE_URL: url }, 'export', '--calendar', 'nobody')).toMatchObject({
      code: 2,
      stderr: 'There is no calendar "nobody".\n',
    });
  });
});
