import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { useCloser } from '../started.ts';
import type { Reading } from '../mail/reading.ts';
import { findPython } from '../python.ts';
import { startFeeds } from './feed.harness.ts';
import { listExpectedStarts, insertSeries, startsOf } from './series.ts';

const script = fileURLToPath(new URL('../mail/read.py', import.meta.url));
const python = findPython('icalendar, dateutil', 'python3-icalendar');

python.describe('python3-icalendar', () => {
  const closeLater = useCloser();

  test('reads every occurrence of a feed at the start that instances returns', async () => {
    const gateway = closeLater(await startFeeds({}, { clock: () => Date.parse('2026-12-01T08:00:00Z') }));
    const ids = await insertSeries(gateway, 40);
    const { body } = await gateway.get(await gateway.makeFeed());
    const { stdout, stderr } = spawnSync(python.command ?? '', [script], {
      input: JSON.stringify([body]),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const [reading] = JSON.parse(stdout) as readonly Reading[];
    expect(startsOf(reading?.events ?? [])).toEqual(await listExpectedStarts(gateway, ids));
  });
});
