import { useApolloClient } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { messagesAt } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { publishObjectChangeMutation } from '../api/operations.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { Problem } from '../ui/form-problem.tsx';
import { useForm } from '../ui/use-form.ts';
import { eventTypes } from './labels.ts';

const exampleObject = 'albums/summer.jpg';

/** Publishes a change of an object, as the storage service does, and reports how many messages it causes. */
export function PublishForm({ bucket }: { readonly bucket: string }) {
  const client = useApolloClient();
  const [eventType, setEventType] = useState(eventTypes[0]?.[0] ?? 'OBJECT_FINALIZE');
  const [objectId, setObjectId] = useState(exampleObject);
  const [generation, setGeneration] = useState('');
  const change = { eventType, objectId, objectGeneration: generation || null };
  const { errors, isBusy, send, form } = useForm('change', change);
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
        <SelectField
          label="Event type"
          options={eventTypes}
          value={eventType}
          onChange={setEventType}
          error={messagesAt(errors, 'eventType')}
        />
        <TextField
          label="Generation"
          inputMode="numeric"
          value={generation}
          onChange={setGeneration}
          error={messagesAt(errors, 'objectGeneration')}
        />
      </div>
      <TextField
        label="Object name"
        value={objectId}
        onChange={setObjectId}
        error={messagesAt(errors, 'objectId')}
      />
      <button type="submit" className="primary" disabled={isBusy}>
        Publish
      </button>
    </form>
  );
}
