import { useQuery } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { messageOf } from '../api/failure.ts';
import { bucketsQuery, notificationsQuery } from '../api/operations.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { BucketList } from './bucket-list.tsx';
import type { BilledBucket } from './bucket.ts';
import { Messages } from './messages.tsx';
import { NewBucketDialog } from './new-bucket-dialog.tsx';
import { PublishForm } from './publish-form.tsx';
import { announceChange, useRefresh } from './use-refresh.ts';
import { SubscriptionForm } from './subscription-form.tsx';
import { Subscriptions } from './subscriptions.tsx';

/** Project and bucket of the demo data. */
const [demoProject, demoBucket] = ['demo-project', 'demo-photos'];

/** Shows the buckets of a project, and the subscriptions and messages of one of them. */
export function StorageView() {
  const [project, setProject] = useState(demoProject);
  const [chosenBucketName, selectBucket] = useState(demoBucket);
  const [billedProject, setBilledProject] = useState('');
  const [isCreating, setCreating] = useState(false);
  const { data, error, refetch } = useQuery(bucketsQuery, {
    variables: { project },
    fetchPolicy: 'cache-and-network',
  });
  useRefresh(refetch);
  const buckets = data?.buckets?.nodes ?? [];
  // Selects by default a bucket whose requests need no project to bill.
  const bucket =
    buckets.find(({ id }) => id === chosenBucketName) ??
    buckets.find(({ billing }) => !billing?.requesterPays) ??
    buckets[0];
  const requesterPays = bucket?.billing?.requesterPays === true;
  const refresh = async (): Promise<void> => {
    announceChange();
    await refetch();
  };
  return (
    <main>
      <div className="toolbar">
        <h2>Storage</h2>
        <span className="space" />
        <SettingForm label="Project" value={project} onChange={setProject} />
        {requesterPays && (
          <SettingForm label="Project to bill" value={billedProject} onChange={setBilledProject} />
        )}
        <Button onClick={() => setCreating(true)} icon="plus">
          New bucket
        </Button>
      </div>
      {error && <Remark text={messageOf(error)} />}
      <section className="card pad" aria-labelledby="buckets">
        <h3 id="buckets">Buckets of {project}</h3>
        <BucketList
          buckets={buckets}
          selectedBucketName={bucket?.id}
          onSelect={selectBucket}
          onChanged={() => void refresh()}
        />
        {data && buckets.length === 0 && (
          <p className="quiet">You manage no buckets in this project. Create one, or show another project.</p>
        )}
        {data?.buckets?.pageInfo.hasNextPage && (
          <p className="quiet">Only the first {buckets.length} buckets are shown.</p>
        )}
      </section>
      {bucket && requesterPays && !billedProject && (
        <Remark text={`${bucket.id} is a requester-pays bucket. Enter the project to bill.`} />
      )}
      {bucket && (!requesterPays || billedProject) && (
        <BucketDetails
          key={bucket.nodeId}
          bucket={bucket.id}
          userProject={requesterPays ? billedProject : undefined}
        />
      )}
      {isCreating && (
        <NewBucketDialog
          project={project}
          onClose={() => setCreating(false)}
          onCreated={(name) => void refresh().then(() => selectBucket(name))}
        />
      )}
    </main>
  );
}

/** Subscriptions and messages of one bucket, with a form to publish a change. */
function BucketDetails(billedBucket: BilledBucket) {
  const { data, error, refetch } = useQuery(notificationsQuery, {
    variables: billedBucket,
    fetchPolicy: 'cache-and-network',
  });
  useRefresh(refetch);
  const subscriptions = data?.notifications ?? [];
  const refresh = (): void => {
    announceChange();
    void refetch();
  };
  if (error) return <Remark text={messageOf(error)} />;
  return (
    <div className="columns">
      <section className="card pad" aria-labelledby="subscriptions">
        <h3 id="subscriptions">Subscriptions of {billedBucket.bucket}</h3>
        <Subscriptions subscriptions={subscriptions} {...billedBucket} onChanged={refresh} />
        <SubscriptionForm {...billedBucket} onChanged={refresh} />
      </section>
      <div>
        <section className="card pad" aria-labelledby="publish">
          <h3 id="publish">Publish a change</h3>
          <PublishForm bucket={billedBucket.bucket} />
        </section>
        <Messages topics={[...new Set(subscriptions.flatMap(({ topic }) => topic ?? []))]} />
      </div>
    </div>
  );
}

interface SettingFormProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text field of the toolbar that takes effect when it is submitted. */
function SettingForm({ label, value, onChange }: SettingFormProps) {
  const [text, setText] = useState(value);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(text.trim());
  };
  return (
    <form className="row" onSubmit={submit} aria-label={label}>
      <TextField label={label} required value={text} onChange={setText} />
      <Button type="submit">Show</Button>
    </form>
  );
}

const Remark = ({ text }: { readonly text: string }) => (
  <p className="remark" role="alert">
    {text}
  </p>
);
