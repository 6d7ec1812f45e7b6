import { createMemoryCalendarStore } from '../../../src/adapters/memory/calendar-store.ts';
import { createMemoryDestinationStates } from '../../../src/adapters/memory/outbox.ts';
import { createMemoryStores } from '../../../src/adapters/memory/stores.ts';
import { bucketStoreContract } from '../../contracts/bucket-store.contract.ts';
import { calendarStoreContract } from '../../contracts/calendar-store.contract.ts';
import { channelStoreContract } from '../../contracts/channel-store.contract.ts';
import { destinationStatesContract } from '../../contracts/destination-states.contract.ts';
import { eventListContract } from '../../contracts/event-list.contract.ts';
import { eventMailsContract } from '../../contracts/event-mails.contract.ts';
import { eventSeriesContract } from '../../contracts/event-series.contract.ts';
import { eventStoreContract } from '../../contracts/event-store.contract.ts';
import { eventJobsContract } from '../../contracts/event-jobs.contract.ts';
import { notificationStoreContract } from '../../contracts/notification-store.contract.ts';
import { outboxLimitsContract } from '../../contracts/outbox-limits.contract.ts';
import { outboxDestinationsContract } from '../../contracts/outbox-destinations.contract.ts';
import { outboxContract } from '../../contracts/outbox.contract.ts';

calendarStoreContract('the memory', createMemoryCalendarStore);
channelStoreContract('the memory', createMemoryStores);
destinationStatesContract('the memory', createMemoryDestinationStates);
for (const contract of [
  eventStoreContract,
  eventListContract,
  eventSeriesContract,
  eventJobsContract,
  eventMailsContract,
])
  contract('the memory', createMemoryStores);
for (const contract of [
  bucketStoreContract,
  notificationStoreContract,
  outboxContract,
  outboxDestinationsContract,
  outboxLimitsContract,
])
  contract('the memory', createMemoryStores);
