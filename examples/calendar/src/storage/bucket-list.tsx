import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { showNotice } from '../api/notices.ts';
import { deleteBucketMutation } from '../api/operations.ts';
import { ConfirmationDialog } from '../calendars/confirmation-dialog.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import type { Bucket } from './bucket.ts';
import { Time } from './time.tsx';

interface BucketListProps {
  readonly buckets: readonly Bucket[];
  /** Name of the bucket whose details are visible. */
  readonly selectedBucketName: string | undefined;
  readonly onSelect: (name: string) => void;
  readonly onChanged: () => void;
}

/** Lists buckets to select, and deletes them after a confirmation. */
export function BucketList({ buckets, selectedBucketName, onSelect, onChanged }: BucketListProps) {
  const client = useApolloClient();
  const [bucketToDelete, setBucketToDelete] = useState<Bucket>();
  const deleteAfterConfirmation = async ({ id, etag }: Bucket): Promise<void> => {
    const index = buckets.findIndex((bucket) => bucket.id === id);
    const neighbour = buckets[index + 1] ?? buckets[index - 1];
    await client.mutate({ mutation: deleteBucketMutation, variables: { bucket: id, ifMatch: etag } });
    showNotice('done', `Bucket “${id}” deleted.`);
    setBucketToDelete(undefined);
    if (neighbour && id === selectedBucketName) onSelect(neighbour.id);
    onChanged();
  };
  return (
    <>
      <ul className="buckets">
        {buckets.map((bucket) => (
          <li key={bucket.nodeId}>
            <Button aria-pressed={bucket.id === selectedBucketName} onClick={() => onSelect(bucket.id)}>
              {bucket.id}
            </Button>
            <p className="quiet">
              {bucket.billing?.requesterPays && 'Requester pays. '}
              {bucket.timeCreated && (
                <>
                  Created <Time instant={bucket.timeCreated} />
                </>
              )}
            </p>
            <IconButton
              icon="trash"
              label={`Delete bucket ${bucket.id}`}
              onClick={() => setBucketToDelete(bucket)}
            />
          </li>
        ))}
      </ul>
      {bucketToDelete && (
        <ConfirmationDialog
          title={`Delete bucket “${bucketToDelete.id}”?`}
          submitLabel="Delete bucket"
          onConfirm={() => deleteAfterConfirmation(bucketToDelete)}
          onClose={() => setBucketToDelete(undefined)}
        >
          Its subscriptions are deleted too. Waiting messages are still published, but can no longer be read
          here. You cannot undo this.
        </ConfirmationDialog>
      )}
    </>
  );
}
