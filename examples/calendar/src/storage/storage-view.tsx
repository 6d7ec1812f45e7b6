import { useQuery } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { messageOf } from '../api/failure.ts';
import { bucketsQuery, notificationsQuery } from '../api/operations.ts';
import { TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { BucketList } from './bucket-list.tsx';
import type { BilledBucket } from './bucket.ts';
import { Messages } from './messages.tsx';
import { NewBucketDialog } from './new-bucket-dialog.tsx';
import { PublishForm } from './publish-form.tsx';
import { announceChange, useRefresh } from './refresh.ts';
import { SubscriptionForm } from './subscription-form.tsx';
import { Subscriptions } from './subscriptions.tsx';

/** The buckets of a project; for one of them its subscriptions, and the messages that they cause. */
export function StorageView() {
  const [project, setProject] = useState('demo-project');
  const [selected, select] = useState('demo-photos');
  const [billedProject, setBilledProject] = useState('');
  const [isCreating, setCreating] = useState(false);
  const { data, error, refetch } = useQuery(bucketsQuery, {
    variables: { project },
    fetchPolicy: 'cache-and-network',
  });
  useRefresh(refetch);
  const buckets = data?.buckets?.nodes ?? [];
  const bucket = buckets.find(({ id }) => id === selected) ?? buckets[0];
  const requesterPays = bucket?.billing?.requesterPays === true;
  const changed = async (): Promise<void> => {
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
        <button type="button" onClick={() => setCreating(true)}>
          <Icon name="plus" />
          New bucket
        </button>
      </div>
      {error && <Remark text={messageOf(error)} />}
      <section className="card pad" aria-labelledby="buckets">
        <h3 id="buckets">Buckets of {project}</h3>
        <BucketList
          buckets={buckets}
          selected={bucket?.id}
          onSelect={select}
          onChanged={() => void changed()}
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
          onCreated={(name) => void changed().then(() => select(name))}
        />
      )}
    </main>
  );
}

function BucketDetails(open: BilledBucket) {
  const { data, error, refetch } = useQuery(notificationsQuery, {
    variables: open,
    fetchPolicy: 'cache-and-network',
  });
  useRefresh(refetch);
  const list = data?.notifications ?? [];
  const changed = (): void => {
    announceChange();
    void refetch();
  };
  if (error) return <Remark text={messageOf(error)} />;
  return (
    <div className="columns">
      <section className="card pad" aria-labelledby="subscriptions">
        <h3 id="subscriptions">Subscriptions of {open.bucket}</h3>
        <Subscriptions list={list} {...open} onChanged={changed} />
        <SubscriptionForm {...open} onChanged={changed} />
      </section>
      <div>
        <section className="card pad" aria-labelledby="publish">
          <h3 id="publish">Publish a change</h3>
          <PublishForm bucket={open.bucket} />
        </section>
        <Messages topics={[...new Set(list.flatMap(({ topic }) => topic ?? []))]} />
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
      <TextField label={label} required value={text} onChange={setText} error={undefined} />
      <button type="submit">Show</button>
    </form>
  );
}

const Remark = ({ text }: { readonly text: string }) => (
  <p className="remark" role="alert">
    {text}
  </p>
);
