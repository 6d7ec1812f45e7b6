import { createRateLimiter } from '../../../src/core/runtime/limits.ts';
import { fc } from '../../property.ts';

const minuteMs = 60_000;

/** Creates a rate limiter with a fake clock. */
function createLimiter(perMinute: number, start = 0) {
  const time = { now: start };
  return { time, take: createRateLimiter(perMinute, () => time.now) };
}

describe('createRateLimiter: the budget of a caller', () => {
  test('is separate for long names that differ at their end', () => {
    const { take } = createLimiter(1);
    const longName = 'x'.repeat(1000);
    expect([take(`${longName}a`, 1), take(`${longName}b`, 1), take(`${longName}a`, 1)]).toEqual([0, 0, 60]);
  });

  test("never suffices for a request that costs more than a minute's budget", () => {
    const { take } = createLimiter(5);
    expect([take('ada', 6), take('ada', 5)]).toEqual([Infinity, 0]);
  });

  test('is available again after exactly the returned wait', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(minuteMs), fc.integer({ min: 1, max: 4 })), { maxLength: 20 }),
        (steps) => {
          const { take, time } = createLimiter(4);
          for (const [pauseMs, cost] of steps) {
            time.now += pauseMs;
            const waitSeconds = take('ada', cost);
            time.now += waitSeconds * 1000;
            if (waitSeconds > 0) expect(take('ada', cost)).toBe(0);
          }
        },
      ),
    );
  });

  test('allows in any minute at most twice the budget', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { minLength: 1, maxLength: 60 }), (pausesMs) => {
        const { take, time } = createLimiter(3);
        const allowedTimes: number[] = [];
        for (const pause of pausesMs) {
          time.now += pause;
          if (take('ada', 1) === 0) allowedTimes.push(time.now);
        }
        for (const start of allowedTimes)
          expect(
            allowedTimes.filter((at) => at >= start && at < start + minuteMs).length,
          ).toBeLessThanOrEqual(6);
      }),
    );
  });
});

describe('a flood of callers', () => {
  test('is limited by caller for up to 100,000 callers a minute; then the oldest is evicted', () => {
    const { take } = createLimiter(1);
    for (let index = 0; index < 100_000; index += 1) take(`caller ${index}`, 1);
    expect([take('caller 0', 1), take('caller 99999', 1)]).toEqual([60, 60]);
    take('one more', 1);
    expect([take('caller 1', 1), take('caller 0', 1)]).toEqual([60, 0]);
  });
});
