import { useMutation } from '@apollo/client/react';
import { failureOf } from '../api/failure.ts';
import { notify } from '../api/notices.ts';
import { deleteNotification } from '../api/operations.ts';
import type { DemoNotificationsQuery } from '../gql/graphql.ts';
import { Icon } from '../ui/icon.tsx';
import type { BilledBucket } from './bucket.ts';
import { eventTypes, labelOf, payloadFormats } from './labels.ts';

type Subscription = NonNullable<DemoNotificationsQuery['notifications']>[number];

interface SubscriptionsProps extends BilledBucket {
  readonly subscriptions: readonly Subscription[];
  readonly onChanged: () => void;
}

/** Lists the subscriptions of a bucket, and deletes them. */
export function Subscriptions({ subscriptions, bucket, userProject, onChanged }: SubscriptionsProps) {
  const [sendDelete, { loading }] = useMutation(deleteNotification);
  const deleteSubscription = (notificationId: string): void => {
    void sendDelete({ variables: { bucket, userProject, notificationId } }).then(
      () => {
        notify('done', `Subscription ${notificationId} deleted.`);
        onChanged();
      },
      (error: unknown) => notify('error', Object.values(failureOf(error, 'notification').fields).join(' ')),
    );
  };
  if (subscriptions.length === 0) return <p className="quiet">No subscriptions yet.</p>;
  return (
    <ul className="subscriptions">
      {subscriptions.map((subscription) => (
        <li key={subscription.nodeId}>
          <div>
            <b className="full-name">{subscription.topic ?? 'No topic: nothing is published'}</b>
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
          <button
            type="button"
            className="plain"
            disabled={loading}
            aria-label={`Delete subscription ${subscription.id}`}
            onClick={() => deleteSubscription(subscription.id ?? '')}
          >
            <Icon name="trash" />
          </button>
        </li>
      ))}
    </ul>
  );
}
