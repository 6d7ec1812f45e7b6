import { useApolloClient } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { showNotice } from '../api/notices.ts';
import { publishObjectChangeMutation } from '../api/operations.ts';
import type { ObjectEventType } from '../gql/graphql.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Problem } from '../ui/form-problem.tsx';
import { bindFields, useForm } from '../ui/use-form.ts';
import { eventTypes } from './labels.ts';

const exampleChange = {
  eventType: 'OBJECT_FINALIZE' as ObjectEventType,
  objectId: 'albums/summer.jpg',
  objectGeneration: '',
};

/** Publishes a change of an object, as the storage service does, and reports how many messages it causes. */
export function PublishForm({ bucket }: { readonly bucket: string }) {
  const client = useApolloClient();
  const [draft, setDraft] = useState(exampleChange);
  const change = { ...draft, objectGeneration: draft.objectGeneration || null };
  const { errors, isBusy, send, form } = useForm('change', change);
  const field = bindFields(draft, errors, (newValue) => setDraft({ ...draft, ...newValue }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send({ bucket, change }, async (requestId) => {
      const { data } = await client.mutate({
        mutation: publishObjectChangeMutation,
        variables: { bucket, requestId, change },
      });
      const messageCount = data?.publishObjectChange?.messages.length ?? 0;
      if (messageCount === 0)
        return showNotice('info', 'No subscription matches this change.', undefined, `buckets/${bucket}`);
      showNotice(
        'done',
        `The change caused ${messageCount === 1 ? 'one message' : `${messageCount} messages`}.`,
      );
    });
  };
  return (
    <form ref={form} className="stack" onSubmit={submit} noValidate aria-label="Publish a change">
      <Problem text={errors['']} />
      <div className="row wrap">
        <SelectField label="Event type" options={eventTypes} {...field('eventType')} />
        <TextField label="Generation" inputMode="numeric" {...field('objectGeneration')} />
      </div>
      <TextField label="Object name" {...field('objectId')} />
      <Button type="submit" className="primary" disabled={isBusy}>
        Publish
      </Button>
    </form>
  );
}
