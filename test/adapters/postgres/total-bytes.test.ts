import { createTotalBytes } from '../../../src/adapters/postgres/spread/total-bytes.ts';
import { brokerRoom, type Room } from '../../../src/outbox/outbox.store.ts';

const roomOf = (): Room => ({ ...brokerRoom, bytes: 100 });

/** What is stored, and readings that wait for their answer. */
function readings(stored: Map<string, number>) {
  const waiting: (() => void)[] = [];
  let count = 0;
  const totals = createTotalBytes(async () => {
    count += 1;
    const found = new Map(stored);
    await new Promise<void>((answer) => waiting.push(answer));
    return found;
  });
  return { totals, count: () => count, answer: () => waiting.splice(0).forEach((answer) => answer()) };
}

async function opened(bytes: number) {
  const stored = new Map([['broker', bytes]]);
  const reading = readings(stored);
  const first = reading.totals.waiting(roomOf);
  reading.answer();
  return { stored, ...reading, known: await first };
}

describe('what waits over all owners', () => {
  test('is read once, and what this gateway adds and forgets counts at once', async () => {
    const { totals, count, known } = await opened(50);
    totals.added('broker', 30);
    totals.added('mail', 5);
    totals.added('broker', -10);
    expect([...(await totals.waiting(roomOf))]).toEqual([
      ['broker', 70],
      ['mail', 5],
    ]);
    expect(known.get('broker')).toBe(70);
    expect(count()).toBe(1);
  });

  test('is read anew each time near the limit, in readings that begin behind the question', async () => {
    const { totals, stored, answer, count } = await opened(91);
    const asked = [totals.waiting(roomOf)];
    stored.set('broker', 20);
    asked.push(totals.waiting(roomOf), totals.waiting(roomOf));
    const done = Promise.all(asked);
    answer();
    await asked[0];
    answer();
    expect((await done).map((known) => known.get('broker'))).toEqual([20, 20, 20]);
    expect(count()).toBe(3);
  });

  test('has what was added while it was read, and what is being stored', async () => {
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
  });

  test('keeps what was held once it is stored', async () => {
    const { totals, known } = await opened(10);
    const hold = totals.hold();
    hold.keep(new Map([['broker', 7]]));
    hold.end(true);
    expect(known.get('broker')).toBe(17);
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
