import { createTotalBytes } from '../../../src/adapters/postgres/spread/total-bytes.ts';
import { brokerRoom, type Room } from '../../../src/outbox/outbox.store.ts';

const roomOf = (): Room => ({ ...brokerRoom, bytes: 100 });

/** What is stored, and readings that wait for their answer. */
function readings(stored: Map<string, number>) {
  const waiting: (() => void)[] = [];
  const totals = createTotalBytes(async () => {
    const found = new Map(stored);
    await new Promise<void>((answer) => waiting.push(answer));
    return found;
  });
  return { totals, answer: () => waiting.splice(0).forEach((answer) => answer()) };
}

async function opened(bytes: number) {
  const stored = new Map([['broker', bytes]]);
  const reading = readings(stored);
  const first = reading.totals.waiting(roomOf);
  reading.answer();
  return { stored, ...reading, known: await first };
}

describe('what waits over all owners', () => {
  test('counts what this gateway adds and forgets at once', async () => {
    const { totals, known } = await opened(50);
    totals.added('broker', 30);
    totals.added('mail', 5);
    totals.added('broker', -10);
    expect(Object.fromEntries(await totals.waiting(roomOf))).toEqual({ broker: 70, mail: 5 });
    expect(known.get('broker')).toBe(70);
  });

  test('is read anew each time near the limit, in readings that begin behind the question', async () => {
    const { totals, stored, answer } = await opened(91);
    const asked = [totals.waiting(roomOf)];
    stored.set('broker', 20);
    asked.push(totals.waiting(roomOf), totals.waiting(roomOf));
    const done = Promise.all(asked);
    answer();
    await asked[0];
    answer();
    expect((await done).map((known) => known.get('broker'))).toEqual([20, 20, 20]);
  });

  test('has what was added while it was read, what is being stored, and what is stored then', async () => {
    const { totals, answer, known } = await opened(95);
    const hold = totals.hold();
    hold.keep(new Map([['broker', 1]]));
    hold.keep(new Map([['broker', 2]]));
    const reading = totals.waiting(roomOf);
    totals.added('broker', 3);
    answer();
    await reading;
    expect(known.get('broker')).toBe(100);
    hold.end(false);
    expect(known.get('broker')).toBe(98);
    const stored = totals.hold();
    stored.keep(new Map([['broker', 7]]));
    stored.end(true);
    expect(known.get('broker')).toBe(105);
  });

  test('is what was known last while it cannot be read', async () => {
    let isAway = false;
    const totals = createTotalBytes(() =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(new Map([['broker', 95]])),
    );
    await totals.waiting(roomOf);
    isAway = true;
    totals.added('broker', 1);
    expect((await totals.waiting(roomOf)).get('broker')).toBe(96);
  });
});
