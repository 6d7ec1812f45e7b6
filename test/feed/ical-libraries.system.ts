import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { useCloser } from '../use-resource.ts';
import type { Reading } from '../mail/mail-reading.ts';
import { findPython } from '../python.ts';
import { startFeedGateway } from './feed.harness.ts';
import { listExpectedStarts, insertSeries, listReadStarts } from './random-series.ts';

const scriptPath = fileURLToPath(new URL('../mail/read.py', import.meta.url));
/** Python with a library that reads iCalendar objects; without it, the suite is skipped except in CI. */
const python = findPython('icalendar, dateutil', 'python3-icalendar');

python.describe('python3-icalendar', () => {
  const closeLater = useCloser();

  test('reads every occurrence of a feed at the start that instances returns', async () => {
    const gateway = closeLater(
      await startFeedGateway({}, { clock: () => Date.parse('2026-12-01T08:00:00Z') }),
    );
    const ids = await insertSeries(gateway, 40);
    const { body } = await gateway.get(await gateway.makeFeed());
    const { stdout, stderr } = spawnSync(python.command ?? '', [scriptPath], {
      input: JSON.stringify([body]),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const [reading] = JSON.parse(stdout) as readonly Reading[];
    expect(listReadStarts(reading?.events ?? [])).toEqual(await listExpectedStarts(gateway, ids));
  });
});
