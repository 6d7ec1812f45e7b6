import { eventListContract } from '../../contracts/event-list.contract.ts';
import { eventMailsContract } from '../../contracts/event-mails.contract.ts';
import { eventSeriesContract } from '../../contracts/event-series.contract.ts';
import { eventStoreContract } from '../../contracts/event-store.contract.ts';
import { eventJobsContract } from '../../contracts/event-jobs.contract.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { useSharedServer } from './stores.ts';

describeWithPostgres('the event store in PostgreSQL', () => {
  const { makeEventStores } = useSharedServer();
  eventStoreContract('PostgreSQL', makeEventStores);
  eventListContract('PostgreSQL', makeEventStores);
  eventSeriesContract('PostgreSQL', makeEventStores);
  eventJobsContract('PostgreSQL', makeEventStores);
  eventMailsContract('PostgreSQL', makeEventStores);
});
