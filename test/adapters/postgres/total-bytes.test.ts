import { createTotalBytes } from '../../../src/adapters/postgres/spread/total-bytes.ts';
import { brokerRoom } from '../../../src/outbox/outbox.store.ts';

test('what waits over all owners is what was known last while it cannot be read', async () => {
  const roomOf = () => ({ ...brokerRoom, bytes: 100 });
  let isAway = false;
  const totals = createTotalBytes(() =>
    isAway ? Promise.reject(new Error('away')) : Promise.resolve(new Map([['broker', 95]])),
  );
  await totals.waiting(roomOf);
  isAway = true;
  totals.added('broker', 1);
  expect((await totals.waiting(roomOf)).get('broker')).toBe(96);
});
