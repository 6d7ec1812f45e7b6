import { useMutation } from '@apollo/client/react';
import { failureOf } from '../api/failure.ts';
import { notify } from '../api/notices.ts';
import { deleteNotification } from '../api/operations.ts';
import type { DemoNotificationsQuery } from '../gql/graphql.ts';
import { Icon } from '../ui/icon.tsx';
import type { Bucket } from './storage-view.tsx';

type Notification = NonNullable<DemoNotificationsQuery['notifications']>[number];

interface SubscriptionsProps extends Bucket {
  readonly list: readonly Notification[];
  readonly onChanged: () => void;
}

export function Subscriptions({ list, bucket, userProject, onChanged }: SubscriptionsProps) {
  const [remove, { loading }] = useMutation(deleteNotification);
  const end = (notificationId: string): void => {
    void remove({ variables: { bucket, userProject, notificationId } }).then(
      () => {
        notify('done', `Subscription ${notificationId} has ended.`);
        onChanged();
      },
      (error: unknown) => notify('error', Object.values(failureOf(error, 'notification').fields).join(' ')),
    );
  };
  if (list.length === 0) return <p className="quiet">Nobody is told of changes in this bucket.</p>;
  return (
    <ul className="subscriptions">
      {list.map((one) => (
        <li key={one.nodeId}>
          <div>
            <b>{one.topic?.replace(/^.*\/topics\//, '') ?? 'no topic: nothing is published'}</b>
            <p className="quiet">{one.topic}</p>
            <p className="tags">
              {(one.event_types?.length ? one.event_types : ['every kind of change']).map((type) => (
                <span key={type}>{type}</span>
              ))}
              {one.object_name_prefix && <span>begins with {one.object_name_prefix}</span>}
              {one.payload_format === 'NONE' && <span>no body</span>}
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
            onClick={() => end(one.id ?? '')}
          >
            <Icon name="trash" />
          </button>
        </li>
      ))}
    </ul>
  );
}
