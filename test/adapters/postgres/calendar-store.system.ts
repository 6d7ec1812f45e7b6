import { calendarStoreContract } from '../../contracts/calendar-store.contract.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { layouts, sharedServer } from './stores.ts';

describeWithPostgres('with a server', () => {
  describe.each(layouts)('whose tables are asked %s', (layout) => {
    const { makeCalendarStore } = sharedServer(layout);
    calendarStoreContract('PostgreSQL', makeCalendarStore);
  });
});
