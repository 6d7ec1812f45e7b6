import { BusyTimes } from '../../src/event/list/free-busy.ts';
import { fc } from '../property.ts';

describe('BusyTimes', () => {
  test('merges, sorts and clips any number of intervals in any order', () => {
    const minuteArbitrary = fc.nat(60);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(minuteArbitrary, minuteArbitrary), { maxLength: 12 }),
        minuteArbitrary,
        minuteArbitrary,
        (intervals, from, to) => {
          const busyTimes = new BusyTimes({ from, to });
          // Up to 6,000 intervals: `BusyTimes` merges from 4,096 on.
          for (const [start, length] of Array.from({ length: 500 }, () => intervals).flat())
            busyTimes.add(start, start + length);
          const isBusy = (minute: number): boolean =>
            minute >= from &&
            minute < to &&
            intervals.some(([start, length]) => start <= minute && minute < start + length);
          const minutes = Array.from({ length: 130 }, (_, minute) => minute);
          const starts = minutes.filter((minute) => isBusy(minute) && !isBusy(minute - 1));
          const ends = minutes.filter((minute) => !isBusy(minute) && isBusy(minute - 1));
          expect(busyTimes.mergeAll()).toEqual(
            starts.map((start, index) => ({ from: start, to: ends[index] })),
          );
        },
      ),
    );
  });

  test('ignores intervals without a length', () => {
    const times = new BusyTimes({ from: 0, to: 10 });
    times.add(5, 5);
    times.add(7, 6);
    expect(times.mergeAll()).toEqual([]);
  });
});
