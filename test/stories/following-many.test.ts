import { startGateway } from '../harness.ts';
import { followingMany, seed } from './following-many.suite.ts';

followingMany('in memory', async () => {
  const gateway = await startGateway({}, { seed });
  return {
    gateway,
    takeAccess: async (id) => {
      const [calendar] = await gateway.stores.calendars.calendars([{ id }]);
      if (calendar) await gateway.stores.calendars.addCalendar({ ...calendar, acl: [] });
    },
    stop: () => gateway.close(),
  };
});
