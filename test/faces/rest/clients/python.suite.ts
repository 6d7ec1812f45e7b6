import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tokenFor } from '../../../harness.ts';
import { findPython } from '../../../python.ts';
import { useServer } from './official-clients.ts';

const scriptPath = fileURLToPath(new URL('life.py', import.meta.url));
/** Python with Google's API client; without it, suites are skipped except in CI. */
export const python = findPython('googleapiclient, google_auth_httplib2', 'python3-googleapi');

/** Tests events, calendars and notifications through google-api-python-client, with a discovery URL. */
export function testPythonClient(): void {
  const server = useServer();

  test('the Python client works: discovery, pages, long URLs and batches', async () => {
    const { stdout } = await promisify(execFile)(python.command ?? 'python3', [scriptPath, server.url()], {
      env: { PATH: process.env.PATH, TOKEN: await tokenFor('alice@example.com') },
    });
    // The script life.py prints an entry for each step.
    expect(JSON.parse(stdout)).toEqual({
      made: ['calendar#event', 'Talk', 'default', false],
      patched: 'Here',
      stale: [412, 'conditionNotMet', 'If-Match'],
      same: true,
      cleared: false,
      overtaken: [412, 'conditionNotMet', 'If-Match'],
      replaced: '3',
      faults: ['invalid colorId', 'invalid maxAttendees', 'invalid summary', true],
      pages: [1, 1],
      long: ['items', 'kind'],
      fields: ['items', 'kind'],
      zone: '2027-04-01T18:00:00+09:00',
      synced: [true, []],
      instances: ['_20270408T090000Z', '_20270409T090000Z', '_20270410T090000Z'],
      expired: [410, 'fullSyncRequired', 'syncToken'],
      imported: ['erin@elsewhere.example', true],
      stays: [403, 'forbiddenForNonOrganizer', 'eventId'],
      moved: [1, 'cancelled'],
      batch: { made: 'In a batch', 'not there': 404, patched: 'Zwölf', 1: '' },
      alone: [11, 400],
      deleted: [410, 'deleted', null],
      calendars: 3,
      shared: ['user:bob@example.com', 'writer', 2],
      closed: [404, 'notFound', 'calendarId'],
      busy: [{ start: '2027-04-02T09:00:00Z', end: '2027-04-02T10:00:00Z' }],
      colors: 11,
      missing: [],
      notification: true,
      subscriptions: [true, true],
      paid: { requesterPays: true },
      unpaid: [400, 'required', 'userProject'],
      ended: [404, 'notFound'],
      buckets: ['demo-archive', 'demo-drafts', 'demo-photos', 'made-by-python'],
      objects: [],
      wrong: [400, 'invalid', 'topic'],
    });
  });
}
