import { useQuery } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { messageOf } from '../api/failure.ts';
import { notificationsQuery } from '../api/operations.ts';
import { TextField } from '../ui/field.tsx';
import { Messages } from './messages.tsx';
import { PublishForm } from './publish-form.tsx';
import { SubscriptionForm } from './subscription-form.tsx';
import { Subscriptions } from './subscriptions.tsx';

/** Which bucket is looked at, and who pays where that is asked for. */
export interface Bucket {
  readonly bucket: string;
  readonly userProject: string | undefined;
}

/** The subscriptions of a bucket, and what they cause when an object changes. */
export function StorageView() {
  const [open, setOpen] = useState<Bucket>({ bucket: 'demo-photos', userProject: undefined });
  const [name, setName] = useState(open.bucket);
  const [payer, setPayer] = useState('');
  const { data, error, refetch } = useQuery(notificationsQuery, {
    variables: open,
    fetchPolicy: 'cache-and-network',
  });
  const list = data?.notifications ?? [];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setOpen({ bucket: name, userProject: payer || undefined });
  };
  return (
    <main>
      <form className="toolbar" onSubmit={submit}>
        <h2>Notifications of a bucket</h2>
        <span className="space" />
        <TextField label="Bucket" list="buckets" value={name} onChange={setName} error={undefined} />
        <datalist id="buckets">
          <option value="demo-photos" />
          <option value="demo-archive" />
        </datalist>
        <TextField
          label="Paying project"
          placeholder="where it is asked for"
          value={payer}
          onChange={setPayer}
          error={undefined}
        />
        <button type="submit">Show</button>
      </form>
      {error && (
        <p className="remark" role="alert">
          {messageOf(error)}
        </p>
      )}
      {!error && (
        <div className="columns" key={open.bucket}>
          <section className="card pad" aria-labelledby="subscriptions">
            <h3 id="subscriptions">Subscriptions</h3>
            <Subscriptions list={list} {...open} onChanged={() => void refetch()} />
            <SubscriptionForm {...open} onChanged={() => void refetch()} />
          </section>
          <div>
            <section className="card pad" aria-labelledby="publish">
              <h3 id="publish">Publish a change</h3>
              <PublishForm bucket={open.bucket} />
            </section>
            <Messages topics={[...new Set(list.flatMap(({ topic }) => topic ?? []))]} />
          </div>
        </div>
      )}
    </main>
  );
}
