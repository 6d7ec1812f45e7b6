import { remainder, type Span } from './calendar-days.ts';

/**
 * Tells which units around one a part such as BYHOUR excludes; undefined for a unit that it allows. Units are numbered
 * on and on, and allowed by their numbers in a cycle, such as the hours of a day.
 */
export function gapsOf(
  allowed: readonly number[] | undefined,
  cycle: number,
): (unit: number) => Span | undefined {
  if (!allowed) return () => undefined;
  const inCycle = new Set(allowed);
  const distance = (from: number, step: number): number => {
    let far = 0;
    while (far < cycle && !inCycle.has(remainder(from + far * step, cycle))) far += 1;
    return far;
  };
  const distances = Array.from({ length: cycle }, (_, number) => ({
    back: distance(number, -1),
    ahead: distance(number, 1),
  }));
  return (unit) => {
    const { back, ahead } = distances[remainder(unit, cycle)] as { back: number; ahead: number };
    return ahead === 0 ? undefined : { begin: unit - back + 1, end: unit + ahead };
  };
}
