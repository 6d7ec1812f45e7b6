import { readFileSync } from 'node:fs';
import { occurrencesOf } from '../../src/recurrence/occurrences.ts';
import { fc } from '../property.ts';
import { describeWithDateutil, startDateutil, type DateutilResult } from './dateutil.ts';
import { readTime, recurrenceSets, writeTime, type RecurrenceSet } from './recurrence-sets.ts';
import { chooseLength, seeds } from './seed.ts';
import { useForAll } from '../use-resource.ts';

const anyFraction = fc.double({ min: 0, max: 1, noNaN: true });
/** Generates a window, as fractions of the listed range, and the number of pages in which it is read. */
const anyReadPlan = fc.record({
  from: anyFraction,
  size: anyFraction,
  pageCount: fc.integer({ min: 1, max: 15 }),
});
interface ReadPlan {
  readonly from: number;
  readonly size: number;
  readonly pageCount: number;
}

/** Compares occurrences with those of dateutil: read at once, in pages and one by one, and the last one. */
function expectSameOccurrences(
  set: RecurrenceSet,
  { starts, endInstant, isComplete }: DateutilResult,
  { from: fromFraction, size, pageCount }: ReadPlan,
): void {
  const isDay = set.zone === null;
  const firstStartMs = readTime(set.start);
  const startText = new Date(firstStartMs).toISOString();
  const occurrences = occurrencesOf({
    start: isDay ? { date: startText.slice(0, 10) } : { dateTime: startText, timeZone: set.zone },
    recurrence: set.lines,
  });
  const readInPages = (firstMs: number, endBeforeMs: number, maxPerPage: number): number[] => {
    const foundStarts: number[] = [];
    for (let position = firstMs; ;) {
      const page = occurrences.between(position, endBeforeMs, maxPerPage);
      expect(page.starts.length).toBeLessThanOrEqual(maxPerPage);
      foundStarts.push(...page.starts);
      if (!page.hasMore) return foundStarts;
      position = (page.starts.at(-1) as number) + 1;
    }
  };
  const format = (instants: readonly number[]): string[] =>
    instants.map((instantMs) => writeTime(instantMs, isDay));
  const endMs = readTime(endInstant);
  const windowStartMs = firstStartMs + Math.round(fromFraction * (endMs - firstStartMs));
  const windowEndMs = windowStartMs + Math.round(size * (endMs - windowStartMs));
  const expectedStarts = starts.map(readTime);
  const expectedInWindow = expectedStarts.filter(
    (expectedStart) => expectedStart >= windowStartMs && expectedStart < windowEndMs,
  );
  expect(format(readInPages(-Infinity, endMs, 10_000))).toEqual(format(expectedStarts));
  expect(
    format(readInPages(windowStartMs, windowEndMs, Math.ceil((expectedInWindow.length + 1) / pageCount))),
  ).toEqual(format(expectedInWindow));
  for (const listedStart of expectedInWindow.slice(0, 5)) {
    const neighbours = [listedStart - 1000, listedStart, listedStart + 1000];
    const expectedResults = neighbours.map((instant) => expectedStarts.includes(instant));
    expect(neighbours.map(occurrences.has)).toEqual(expectedResults);
  }
  const lastStart = occurrences.lastStart();
  // The search for the last occurrence stops after two hundred excluded ones.
  const hasFrequentExclusions = set.lines.some((line) => /^EXRULE.*FREQ=(?:SECOND|MINUTE|HOUR)LY/.test(line));
  if (isComplete && !hasFrequentExclusions) expect(lastStart).toBe(expectedStarts.at(-1));
  else if (isComplete)
    expect(lastStart ?? -Infinity).toBeGreaterThanOrEqual(expectedStarts.at(-1) ?? -Infinity);
  else if (lastStart !== undefined)
    expect(lastStart).toBeGreaterThanOrEqual(expectedStarts.at(-1) ?? -Infinity);
}

describeWithDateutil('random recurrence sets have the occurrences of python-dateutil', () => {
  const dateutil = useForAll(() => startDateutil());

  test.each(seeds)('seed %i', async (seed) => {
    await fc.assert(
      fc.asyncProperty(recurrenceSets(0.2, 1, 1, 4), anyReadPlan, async (set, plan) =>
        expectSameOccurrences(set, await dateutil.expandSet(set), plan),
      ),
      {
        seed,
        numRuns: chooseLength(30, 120),
        // Reports a failure before the time limit of the test.
        interruptAfterTimeLimit: 100_000,
        markInterruptAsFailure: true,
      },
    );
  });
});

const recordedSets = readFileSync(new URL('recurrence-recorded.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RecurrenceSet & DateutilResult);

test.each(recordedSets.map((set) => [set.lines.join(' '), set] as const))(
  'the recorded occurrences of python-dateutil: %s',
  (_lines, set) => expectSameOccurrences(set, set, { from: 0, size: 1, pageCount: 3 }),
);
