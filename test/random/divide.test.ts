import { divideSeries } from '../../src/recurrence/divide-series.ts';
import { occurrencesOf } from '../../src/recurrence/occurrences.ts';
import { findRuleProblems } from '../../src/recurrence/rule-problems.ts';
import { fc } from '../property.ts';
import { describeWithDateutil, startDateutil } from './dateutil.ts';
import { readTime, recurrenceSets, writeTime, type RecurrenceSet } from './recurrence-sets.ts';
import { chooseLength, seeds } from './seed.ts';
import { useForAll } from '../use-resource.ts';

/** Options of fast-check. A run that takes too long fails before the time limit of its test. */
const runOptions = (seed: number, numRuns: number) => ({
  seed,
  numRuns,
  interruptAfterTimeLimit: 100_000,
  markInterruptAsFailure: true,
});
const anyRelativePosition = fc.double({ min: 0, max: 1, noNaN: true });
const isRule = (line: string): boolean => /^(?:EX|R)RULE/.test(line);

/**
 * Divides a set of two or more occurrences before one of them. Undefined if the division is refused, which happens only
 * with several rules. With one rule, the second part starts with the chosen instance.
 */
function divideAt(
  set: RecurrenceSet,
  starts: readonly string[],
  relativePosition: number,
): { earlier: RecurrenceSet; following: RecurrenceSet; instanceMs: number } | undefined {
  const isDay = set.zone === null;
  const toEventTime = (instantMs: number) =>
    isDay
      ? { date: new Date(instantMs).toISOString().slice(0, 10) }
      : { dateTime: new Date(instantMs).toISOString(), timeZone: set.zone };
  if (starts.length < 2) return undefined;
  // The factor keeps the index within the list when the position is 1.
  const instanceMs = readTime(
    starts[1 + Math.floor(relativePosition * 0.999 * (starts.length - 1))] as string,
  );
  const ruleCount = set.lines.filter(isRule).length;
  const division = divideSeries(set.lines, toEventTime(readTime(set.start)), instanceMs);
  if (!division) {
    expect(ruleCount).toBeGreaterThan(1);
    return undefined;
  }
  const hasOtherDates = set.lines.some((line) => /^(?:RDATE|EXRULE)/.test(line));
  if (!hasOtherDates && ruleCount === 1 && (isDay || set.zone === 'UTC'))
    expect(division.start).toBe(instanceMs);
  for (const line of [...division.earlierLines, ...division.followingLines].filter(isRule))
    expect(findRuleProblems(line.slice(line.indexOf(':') + 1), isDay ? 'date' : 'dateTime')).toEqual([]);
  return {
    instanceMs,
    earlier: { ...set, lines: division.earlierLines },
    following: { ...set, start: writeTime(division.start, isDay), lines: division.followingLines },
  };
}

function expand({ start, zone, lines }: RecurrenceSet, endTime: string): readonly string[] {
  const startText = new Date(readTime(start)).toISOString();
  const occurrences = occurrencesOf({
    start: zone === null ? { date: startText.slice(0, 10) } : { dateTime: startText, timeZone: zone },
    recurrence: lines,
  });
  const startInstants: number[] = [];
  for (let nextFromMs = -Infinity; ;) {
    const page = occurrences.between(nextFromMs, readTime(endTime), 10_000);
    startInstants.push(...page.starts);
    if (!page.hasMore) return startInstants.map((startInstant) => writeTime(startInstant, zone === null));
    nextFromMs = (page.starts.at(-1) as number) + 1;
  }
}

describe('the occurrences of both parts of a divided series are those of the series', () => {
  test.each(seeds)('seed %i', (seed) => {
    fc.assert(
      fc.property(recurrenceSets(0.2, 1, 1, 4), anyRelativePosition, (set, relativePosition) => {
        const end = writeTime(Date.parse(`${set.end}Z`), false);
        const starts = expand(set, end);
        const parts = divideAt(set, starts, relativePosition);
        if (!parts) return;
        const instance = writeTime(parts.instanceMs, set.zone === null);
        const isBefore = (start: string): boolean => start < instance;
        const [expectedEarlier, expectedFollowing] = [
          starts.filter(isBefore),
          starts.filter((start) => !isBefore(start)),
        ];
        expect([parts, expand(parts.earlier, end)]).toEqual([parts, expectedEarlier]);
        expect([parts, expand(parts.following, end)]).toEqual([parts, expectedFollowing]);
      }),
      runOptions(seed, chooseLength(30, 150)),
    );
  });
});

describeWithDateutil('both parts of a divided series, by python-dateutil', () => {
  const dateutil = useForAll(() => startDateutil());

  test.each(seeds)('seed %i', async (seed) => {
    await fc.assert(
      fc.asyncProperty(recurrenceSets(0.2, 1, 1, 4), anyRelativePosition, async (set, relativePosition) => {
        const { starts } = await dateutil.expandSet(set);
        const parts = divideAt(set, starts, relativePosition);
        if (!parts) return;
        const [before, following] = [
          await dateutil.expandSet(parts.earlier),
          await dateutil.expandSet(parts.following),
        ];
        expect([...before.starts, ...following.starts]).toEqual(starts);
      }),
      runOptions(seed, chooseLength(20, 80)),
    );
  });
});
