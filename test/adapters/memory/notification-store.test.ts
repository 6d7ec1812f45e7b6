import { createMemoryNotificationStore } from '../../../src/adapters/memory/notification-store.ts';
import { notificationStoreContract } from '../../contracts/notification-store.contract.ts';
import { outboxBoundsContract } from '../../contracts/outbox-bounds.contract.ts';
import { outboxContract } from '../../contracts/outbox.contract.ts';

notificationStoreContract('the memory', createMemoryNotificationStore);
outboxContract('the memory', createMemoryNotificationStore);
outboxBoundsContract('the memory', createMemoryNotificationStore);
