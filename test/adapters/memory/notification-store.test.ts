import { createMemoryStores } from '../../../src/adapters/memory/stores.ts';
import { bucketStoreContract } from '../../contracts/bucket-store.contract.ts';
import { notificationStoreContract } from '../../contracts/notification-store.contract.ts';
import { outboxBoundsContract } from '../../contracts/outbox-bounds.contract.ts';
import { outboxDestinationsContract } from '../../contracts/outbox-destinations.contract.ts';
import { outboxContract } from '../../contracts/outbox.contract.ts';

bucketStoreContract('the memory', createMemoryStores);
notificationStoreContract('the memory', createMemoryStores);
outboxContract('the memory', createMemoryStores);
outboxDestinationsContract('the memory', createMemoryStores);
outboxBoundsContract('the memory', createMemoryStores);
