import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { showNotice } from '../api/notices.ts';
import { deleteNotificationMutation } from '../api/operations.ts';
import { ConfirmationDialog } from '../calendars/confirmation-dialog.tsx';
import type { DemoNotificationsQuery } from '../gql/graphql.ts';
import { IconButton } from '../ui/button.tsx';
import type { BilledBucket } from './bucket.ts';
import { eventTypes, labelOf, payloadFormats, shortenTopicName } from './labels.ts';

/** A notification configuration of a bucket, which the page calls a subscription. */
type Subscription = NonNullable<DemoNotificationsQuery['notifications']>[number];

interface SubscriptionsProps extends BilledBucket {
  readonly subscriptions: readonly Subscription[];
  readonly onChanged: () => void;
}

/** Lists the subscriptions of a bucket, and deletes them after a confirmation. */
export function Subscriptions({ subscriptions, bucket, userProject, onChanged }: SubscriptionsProps) {
  const client = useApolloClient();
  const [subscriptionToDelete, setSubscriptionToDelete] = useState<Subscription>();
  const deleteAfterConfirmation = async (subscription: Subscription): Promise<void> => {
    const variables = { bucket, userProject, notificationId: subscription.id ?? '' };
    await client.mutate({ mutation: deleteNotificationMutation, variables });
    showNotice('done', `The ${nameSubscription(subscription)} was deleted.`);
    setSubscriptionToDelete(undefined);
    onChanged();
  };
  if (subscriptions.length === 0) return <p className="quiet">No subscriptions yet.</p>;
  return (
    <>
      <ul className="subscriptions">
        {subscriptions.map((subscription) => (
          <li key={subscription.nodeId}>
            <div>
              <b>{subscription.topic ?? 'No topic: nothing is published'}</b>
              <p className="tags">
                {subscription.event_types?.length ? (
                  subscription.event_types.map((type) => <span key={type}>{labelOf(eventTypes, type)}</span>)
                ) : (
                  <span>All event types</span>
                )}
                {subscription.object_name_prefix && (
                  <span>Object name prefix: {subscription.object_name_prefix}</span>
                )}
                {subscription.payload_format === 'NONE' && <span>{labelOf(payloadFormats, 'NONE')}</span>}
                {Object.entries(subscription.custom_attributes ?? {}).map(([key, value]) => (
                  <span key={key}>
                    {key}: {value}
                  </span>
                ))}
              </p>
            </div>
            <IconButton
              icon="trash"
              label={`Delete subscription ${subscription.id}`}
              onClick={() => setSubscriptionToDelete(subscription)}
            />
          </li>
        ))}
      </ul>
      {subscriptionToDelete && (
        <ConfirmationDialog
          title={`Delete the ${nameSubscription(subscriptionToDelete)}?`}
          submitLabel="Delete subscription"
          onConfirm={() => deleteAfterConfirmation(subscriptionToDelete)}
          onClose={() => setSubscriptionToDelete(undefined)}
        >
          Changes of “{bucket}” are no longer published to {subscriptionToDelete.topic ?? 'its topic'} by this
          subscription. You cannot undo this.
        </ConfirmationDialog>
      )}
    </>
  );
}

/** Names a subscription by its topic: "subscription to photos". */
const nameSubscription = ({ topic }: Subscription): string =>
  topic ? `subscription to “${shortenTopicName(topic)}”` : 'subscription without a topic';
