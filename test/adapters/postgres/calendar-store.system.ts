import { calendarStoreContract } from '../../contracts/calendar-store.contract.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { sharedServer } from './stores.ts';

describeWithPostgres('with a server', () => {
  const { makeCalendarStore } = sharedServer();
  calendarStoreContract('PostgreSQL', makeCalendarStore);
});
