import { BusyTimes } from '../../src/event/list/free-busy.ts';
import { fc } from '../property.ts';

describe('busy times', () => {
  test('are merged, in order and cut off, however many were added in whatever order', () => {
    const moment = fc.nat(60);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(moment, moment), { maxLength: 12 }),
        moment,
        moment,
        (added, from, to) => {
          const times = new BusyTimes({ from, to });
          // So many that they are merged in between.
          for (const [begin, length] of Array.from({ length: 500 }, () => added).flat())
            times.add(begin, begin + length);
          const isBusy = (at: number): boolean =>
            at >= from && at < to && added.some(([begin, length]) => begin <= at && at < begin + length);
          const moments = Array.from({ length: 130 }, (_, at) => at);
          const starts = moments.filter((at) => isBusy(at) && !isBusy(at - 1));
          const ends = moments.filter((at) => !isBusy(at) && isBusy(at - 1));
          expect(times.merged()).toEqual(starts.map((start, index) => ({ from: start, to: ends[index] })));
        },
      ),
    );
  });

  test('of no length are none', () => {
    const times = new BusyTimes({ from: 0, to: 10 });
    times.add(5, 5);
    times.add(7, 6);
    expect(times.merged()).toEqual([]);
  });
});
