import { useMutation } from '@apollo/client/react';
import { failureOf } from '../api/failure.ts';
import { notify } from '../api/notices.ts';
import { deleteNotification } from '../api/operations.ts';
import type { DemoNotificationsQuery } from '../gql/graphql.ts';
import { Icon } from '../ui/icon.tsx';
import type { BilledBucket } from './bucket.ts';
import { eventTypes, labelOf, payloadFormats } from './labels.ts';

type Notification = NonNullable<DemoNotificationsQuery['notifications']>[number];

interface SubscriptionsProps extends BilledBucket {
  readonly list: readonly Notification[];
  readonly onChanged: () => void;
}

export function Subscriptions({ list, bucket, userProject, onChanged }: SubscriptionsProps) {
  const [remove, { loading }] = useMutation(deleteNotification);
  const deleteOne = (notificationId: string): void => {
    void remove({ variables: { bucket, userProject, notificationId } }).then(
      () => {
        notify('done', `Subscription ${notificationId} deleted.`);
        onChanged();
      },
      (error: unknown) => notify('error', Object.values(failureOf(error, 'notification').fields).join(' ')),
    );
  };
  if (list.length === 0) return <p className="quiet">No subscriptions yet.</p>;
  return (
    <ul className="subscriptions">
      {list.map((one) => (
        <li key={one.nodeId}>
          <div>
            <b className="full-name">{one.topic ?? 'No topic: nothing is published'}</b>
            <p className="tags">
              {one.event_types?.length ? (
                one.event_types.map((type) => <span key={type}>{labelOf(eventTypes, type)}</span>)
              ) : (
                <span>All event types</span>
              )}
              {one.object_name_prefix && <span>Object name prefix: {one.object_name_prefix}</span>}
              {one.payload_format === 'NONE' && <span>{labelOf(payloadFormats, 'NONE')}</span>}
              {Object.entries(one.custom_attributes ?? {}).map(([key, value]) => (
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
            aria-label={`Delete subscription ${one.id}`}
            onClick={() => deleteOne(one.id ?? '')}
          >
            <Icon name="trash" />
          </button>
        </li>
      ))}
    </ul>
  );
}
