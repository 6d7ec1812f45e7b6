import { startGateway } from '../harness.ts';
import { followingMany, seed } from './following-many.suite.ts';
import { putCalendar } from '../contracts/event-samples.ts';

followingMany('in memory', async () => {
  const gateway = await startGateway({}, { seed });
  return {
    gateway,
    takeAccess: async (id) => {
      const [calendar] = await gateway.stores.calendars.calendars([{ id }]);
      if (calendar) await putCalendar(gateway.stores.calendars, { ...calendar, acl: [] });
    },
    stop: () => gateway.close(),
  };
});
