import { createMemoryNotificationStore } from '../../../src/adapters/memory/notification-store.ts';
import { notificationStoreContract } from '../../contracts/notification-store.contract.ts';
import { outboxContract } from '../../contracts/outbox.contract.ts';

notificationStoreContract('the memory', createMemoryNotificationStore);
outboxContract('the memory', createMemoryNotificationStore);
