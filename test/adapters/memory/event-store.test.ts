import { createMemoryStores } from '../../../src/adapters/memory/stores.ts';
import { eventListContract } from '../../contracts/event-list.contract.ts';
import { eventMailsContract } from '../../contracts/event-mails.contract.ts';
import { eventSeriesContract } from '../../contracts/event-series.contract.ts';
import { eventStoreContract } from '../../contracts/event-store.contract.ts';
import { eventWorkContract } from '../../contracts/event-work.contract.ts';

eventStoreContract('the memory', createMemoryStores);
eventListContract('the memory', createMemoryStores);
eventSeriesContract('the memory', createMemoryStores);
eventWorkContract('the memory', createMemoryStores);
eventMailsContract('the memory', createMemoryStores);
