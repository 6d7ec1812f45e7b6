import { messageLogContract } from '../../contracts/message-log.contract.ts';
import { destinationStatesContract } from '../../contracts/destination-states.contract.ts';
import { bucketStoreContract } from '../../contracts/bucket-store.contract.ts';
import { notificationStoreContract } from '../../contracts/notification-store.contract.ts';
import { outboxLimitsContract } from '../../contracts/outbox-limits.contract.ts';
import { outboxDestinationsContract } from '../../contracts/outbox-destinations.contract.ts';
import { outboxContract } from '../../contracts/outbox.contract.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { useSharedServer } from './stores.ts';

describeWithPostgres('bucket, notification and outbox stores in PostgreSQL', () => {
  const { makeStores, makeMessageLog, makeDestinationStates } = useSharedServer();
  bucketStoreContract('PostgreSQL', makeStores);
  notificationStoreContract('PostgreSQL', makeStores);
  outboxContract('PostgreSQL', makeStores);
  outboxDestinationsContract('PostgreSQL', makeStores);
  outboxLimitsContract('PostgreSQL', makeStores);
  destinationStatesContract('PostgreSQL', makeDestinationStates);
  messageLogContract('PostgreSQL', makeMessageLog);
});
