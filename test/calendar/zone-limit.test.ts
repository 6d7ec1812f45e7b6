import { alice, oneDay, makeMany, startEventGateway } from '../event/event.harness.ts';
import { calendarsOf } from './calendar.harness.ts';

test('a calendar with more than 20,000 all-day events keeps its time zone', async () => {
  const events = makeMany(20_001, (index) => ({ id: `day${index}`, ...oneDay }));
  const seed = { calendars: [{ id: alice, owner: alice, timeZone: 'UTC', events }] };
  const gateway = await startEventGateway({ seed });
  const calendars = calendarsOf(gateway);
  const { problems } = await calendars.patch(alice, { timeZone: 'Asia/Tokyo' });
  expect(problems).toEqual(['BAD_USER_INPUT calendar.timeZone tooMany']);
  expect((await calendars.patch(alice, { timeZone: 'UTC', summary: 'Same zone' })).problems).toEqual([]);
  await gateway.close();
});
