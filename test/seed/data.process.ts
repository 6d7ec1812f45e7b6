import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { demoNow, demoSeed, secret, startGateway } from '../harness.ts';
import { describeWithPostgres, usePostgres } from '../postgres-server.ts';

const execute = promisify(execFile);
const commandFile = fileURLToPath(new URL('../../dist/data.js', import.meta.url));

/** Runs the built command to its end. */
async function runData(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const environment = { PATH: process.env.PATH, AUTH_JWT_SECRET: secret, ...env };
  const options = { env: environment, timeout: 120_000, maxBuffer: 64_000_000 };
  return execute(process.execPath, [commandFile, ...args], options).then(
    (ended) => ({ code: 0, ...ended }),
    (error: unknown) => error as { readonly code: number; readonly stdout: string; readonly stderr: string },
  );
}
const containing = (text: string): string => expect.stringContaining(text) as string;
const expectedFailure = (message: string) => ({ code: 2, stdout: '', stderr: containing(message) });

const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
const workCalendar = { id: 'work', owner: 'alice@example.com', timeZone: 'UTC' };

test('data without DATABASE_URL fails with a message', async () => {
  expect(await runData({}, 'export')).toMatchObject(expectedFailure('DATABASE_URL is not set'));
  expect(await runData({}, 'empty')).toMatchObject(expectedFailure('Usage: export, or import FILE.'));
});

describeWithPostgres('npm run data', () => {
  const { createMigratedUrl } = usePostgres();
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'data-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const writeImportFile = (content: unknown): string => {
    const path = join(folder, 'file.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };

  test('copies the demo from one database to another, with an identical export', async () => {
    const [sourceUrl, targetUrl] = [await createMigratedUrl(), await createMigratedUrl()];
    await (await startGateway({ DATABASE_URL: sourceUrl }, { seed: demoSeed, clock: () => demoNow })).close();
    const firstExport = await runData({ DATABASE_URL: sourceUrl }, 'export');
    expect([firstExport.code, firstExport.stderr]).toEqual([0, '']);
    const path = writeImportFile(firstExport.stdout);
    const expectedCounts = Object.entries({ Calendars: 3, Events: 12, Buckets: 3, Subscriptions: 2 })
      .map(([kind, count]) => `${kind}: ${count} added, 0 changed, 0 unchanged, 0 refused.\n`)
      .join('');
    const importResult = await runData({ DATABASE_URL: targetUrl }, 'import', path);
    expect(importResult).toMatchObject({ code: 0, stderr: '', stdout: expectedCounts });
    expect((await runData({ DATABASE_URL: targetUrl }, 'export')).stdout).toBe(firstExport.stdout);
    const [exportedCalendar] = JSON.parse(
      (await runData({ DATABASE_URL: targetUrl }, 'export', '--calendar', 'bob@example.com')).stdout,
    ).calendars as { id: string; events: { id: string }[] }[];
    expect([exportedCalendar?.id, exportedCalendar?.events.map(({ id }) => id)]).toEqual([
      'bob@example.com',
      ['launch', 'lunch', 'teammeeting', 'training', 'workshop'],
    ]);
  });

  test('replaces what a file contains, which syncs report, and keeps the rest', async () => {
    const url = await createMigratedUrl();
    const oldEvent = { id: 'changed', summary: 'Old', ...day };
    const events = [{ id: 'kept', summary: 'Kept', ...day }, oldEvent];
    const addedEvent = { id: 'added', ...day };
    const gateway = await startGateway(
      { DATABASE_URL: url },
      { seed: { calendars: [{ ...workCalendar, events }] } },
    );
    const listQuery = `query ($syncToken: String) { events(calendarId: "work", syncToken: $syncToken) { nodes { id summary } nextSyncToken } }`;
    const { nextSyncToken: syncToken } = (await gateway.ask(listQuery)).data.events;
    const acl = [{ email: 'bob@example.com', role: 'reader' }];
    const newEvents = [{ ...oldEvent, summary: 'New' }, addedEvent];
    const path = writeImportFile({
      calendars: [{ ...workCalendar, timeZone: 'Europe/Berlin', acl, events: newEvents }],
    });
    const counts = `Calendars: 0 added, 1 changed, 0 unchanged, 0 refused.
Events: 1 added, 1 changed, 0 unchanged, 0 refused.
`;
    const importResult = await runData({ DATABASE_URL: url }, 'import', path);
    expect(importResult).toMatchObject({ code: 0, stdout: containing(counts) });
    const { nodes } = (await gateway.ask(listQuery, { syncToken })).data.events;
    expect(nodes).toEqual([
      { id: 'changed', summary: 'New' },
      { id: 'added', summary: null },
    ]);
    const response = await gateway.ask(
      '{ event(calendarId: "work", eventId: "kept") { summary } calendar(calendarId: "work") { timeZone accessRole } }',
      {},
      { as: 'bob@example.com' },
    );
    const settings = { timeZone: 'Europe/Berlin', accessRole: 'reader' };
    expect(response.data).toEqual({ event: { summary: 'Kept' }, calendar: settings });
    await gateway.close();
  });

  test('reports everything refused with all issues, and exits with the code 1 or 2', async () => {
    const DATABASE_URL = await createMigratedUrl();
    const importFile = (content: unknown) => runData({ DATABASE_URL }, 'import', writeImportFile(content));
    const invalidEvent = { id: 'wrong', colorId: '12', ...day };
    const validEvent = { id: 'fine', ...day };
    const invalidCalendar = { ...workCalendar, id: 'bad', timeZone: 'Mars', events: [invalidEvent] };
    const result = await importFile({
      calendars: [{ ...workCalendar, events: [invalidEvent, validEvent, validEvent] }, invalidCalendar],
      buckets: [{ name: 'b', project: 'p', notifications: [{ topic: 'wrong' }] }],
    });
    expect(result.code).toBe(1);
    expect(result.stdout.replaceAll(/^( .*?): .*/gm, '$1'))
      .toBe(`Calendars: 1 added, 0 changed, 0 unchanged, 1 refused.
Events: 1 added, 0 changed, 0 unchanged, 3 refused.
Buckets: 1 added, 0 changed, 0 unchanged, 0 refused.
Subscriptions: 0 added, 0 changed, 0 unchanged, 1 refused.
  calendars[1].timeZone
  calendars[0].events[2].id
  calendars[0].events[0].colorId
  calendars[1].events[0].colorId
  buckets[0].notifications[0].topic
`);
    expect(await importFile('{ "calendars": [')).toMatchObject(expectedFailure('cannot be read as JSON'));
  });
});
