import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { notify } from '../api/notices.ts';
import { deleteBucket } from '../api/operations.ts';
import { Question } from '../calendars/question.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Bucket } from './bucket.ts';
import { Time } from './time.tsx';

interface BucketListProps {
  readonly buckets: readonly Bucket[];
  readonly selected: string | undefined;
  readonly onSelect: (name: string) => void;
  readonly onChanged: () => void;
}

export function BucketList({ buckets, selected, onSelect, onChanged }: BucketListProps) {
  const client = useApolloClient();
  const [doomed, setDoomed] = useState<Bucket>();
  const remove = async ({ id, etag }: Bucket): Promise<void> => {
    await client.mutate({ mutation: deleteBucket, variables: { bucket: id, ifMatch: etag } });
    notify('done', `Bucket “${id}” deleted.`);
    setDoomed(undefined);
    onChanged();
  };
  return (
    <>
      <ul className="buckets">
        {buckets.map((bucket) => (
          <li key={bucket.nodeId}>
            <button type="button" aria-pressed={bucket.id === selected} onClick={() => onSelect(bucket.id)}>
              {bucket.id}
            </button>
            <p className="quiet">
              {bucket.billing?.requesterPays && 'Requester pays. '}
              {bucket.timeCreated && (
                <>
                  Created <Time moment={bucket.timeCreated} />
                </>
              )}
            </p>
            <button
              type="button"
              className="plain"
              aria-label={`Delete bucket ${bucket.id}`}
              onClick={() => setDoomed(bucket)}
            >
              <Icon name="trash" />
            </button>
          </li>
        ))}
      </ul>
      {doomed && (
        <Question
          title={`Delete bucket “${doomed.id}”?`}
          button="Delete bucket"
          run={() => remove(doomed)}
          onClose={() => setDoomed(undefined)}
        >
          Its subscriptions are deleted too. Waiting messages are still published, but can no longer be read
          here. You cannot undo this.
        </Question>
      )}
    </>
  );
}
