import { messageLogContract } from '../../contracts/message-log.contract.ts';
import { notificationStoreContract } from '../../contracts/notification-store.contract.ts';
import { outboxBoundsContract } from '../../contracts/outbox-bounds.contract.ts';
import { outboxContract } from '../../contracts/outbox.contract.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { sharedServer } from './stores.ts';

describeWithPostgres('with a server', () => {
  const { makeNotificationStore, makeMessageLog } = sharedServer();
  notificationStoreContract('PostgreSQL', makeNotificationStore);
  outboxContract('PostgreSQL', makeNotificationStore);
  outboxBoundsContract('PostgreSQL', makeNotificationStore);
  messageLogContract('PostgreSQL', makeMessageLog);
});
