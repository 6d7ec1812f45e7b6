import { createMemoryEventStore } from '../../../src/adapters/memory/event-store.ts';
import { eventListContract } from '../../contracts/event-list.contract.ts';
import { eventSeriesContract } from '../../contracts/event-series.contract.ts';
import { eventStoreContract } from '../../contracts/event-store.contract.ts';

eventStoreContract('the memory', createMemoryEventStore);
eventListContract('the memory', createMemoryEventStore);
eventSeriesContract('the memory', createMemoryEventStore);
