import { readFileSync } from 'node:fs';
import { occurrencesOf } from '../../src/recurrence/occurrences.ts';
import { fc } from '../property.ts';
import { describeWithDateutil, startDateutil, type Answer } from './dateutil.ts';
import { readTime, recurrenceSets, writeTime, type RecurrenceSet } from './recurrence-sets.ts';
import { historyLength, seeds } from './seed.ts';
import { useForAll } from '../started.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
/** A window within a set, and in how many pages it is read. */
const readings = fc.record({ from: share, size: share, pages: fc.integer({ min: 1, max: 15 }) });
interface Reading {
  readonly from: number;
  readonly size: number;
  readonly pages: number;
}

/** That all occurrences are those expected, read in one go, in pages of a window and one by one, and so is the last. */
function holds(
  set: RecurrenceSet,
  { starts, before: limit, ended }: Answer,
  { from: begin, size, pages }: Reading,
): void {
  const isDay = set.zone === null;
  const first = readTime(set.start);
  const text = new Date(first).toISOString();
  const occurrences = occurrencesOf({
    start: isDay ? { date: text.slice(0, 10) } : { dateTime: text, timeZone: set.zone },
    recurrence: set.lines,
  });
  const read = (after: number, before: number, most: number): number[] => {
    const found: number[] = [];
    for (let at = after; ;) {
      const page = occurrences.between(at, before, most);
      expect(page.starts.length).toBeLessThanOrEqual(most);
      found.push(...page.starts);
      if (!page.more) return found;
      at = (page.starts.at(-1) as number) + 1;
    }
  };
  const written = (moments: readonly number[]): string[] => moments.map((moment) => writeTime(moment, isDay));
  const end = readTime(limit);
  const from = first + Math.round(begin * (end - first));
  const before = from + Math.round(size * (end - from));
  const expected = starts.map(readTime);
  const within = expected.filter((moment) => moment >= from && moment < before);
  expect(written(read(-Infinity, end, 10_000))).toEqual(written(expected));
  expect(written(read(from, before, Math.ceil((within.length + 1) / pages)))).toEqual(written(within));
  for (const moment of within.slice(0, 5)) {
    expect([moment - 1000, moment, moment + 1000].map(occurrences.has)).toEqual([
      expected.includes(moment - 1000),
      true,
      expected.includes(moment + 1000),
    ]);
  }
  const last = occurrences.last();
  // The search for the last one gives up behind two hundred that are excluded.
  const mayGiveUp = set.lines.some((line) => /^EXRULE.*FREQ=(?:SECOND|MINUTE|HOUR)LY/.test(line));
  if (ended && !mayGiveUp) expect(last).toBe(expected.at(-1));
  else if (ended) expect(last ?? -Infinity).toBeGreaterThanOrEqual(expected.at(-1) ?? -Infinity);
  else if (last !== undefined) expect(last).toBeGreaterThanOrEqual(expected.at(-1) ?? -Infinity);
}

describeWithDateutil('the occurrences of random recurrence sets are those of python-dateutil', () => {
  const dateutil = useForAll(() => startDateutil());

  test.each(seeds)('seed %i', async (seed) => {
    await fc.assert(
      fc.asyncProperty(recurrenceSets(0.2, 1, 1, 4), readings, async (set, reading) => {
        holds(set, await dateutil.ask(set), reading);
      }),
      {
        seed,
        numRuns: historyLength(30, 120),
        // Says what it found so far before the time of a test is over.
        interruptAfterTimeLimit: 100_000,
        markInterruptAsFailure: true,
      },
    );
  });
});

const recorded = readFileSync(new URL('recurrence-recorded.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RecurrenceSet & Answer);

test.each(recorded.map((set) => [set.lines.join(' '), set] as const))(
  'as recorded from python-dateutil: %s',
  (_lines, set) => holds(set, set, { from: 0, size: 1, pages: 3 }),
);
