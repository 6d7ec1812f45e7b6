import { useApolloClient } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { messagesAt } from '../api/failure.ts';
import { notify } from '../api/notices.ts';
import { insertNotification } from '../api/operations.ts';
import type { NotificationInput, ObjectEventType } from '../gql/graphql.ts';
import { Check, FieldError, SelectField, TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { eventTypes } from './event-types.ts';
import type { Bucket } from './storage-view.tsx';
import { Problem } from '../ui/problem.tsx';
import { useForm } from '../ui/use-form.ts';

const formats = [
  ['JSON_API_V1', 'The object as JSON'],
  ['NONE', 'No body'],
] as const;
const empty = {
  topic: '',
  types: [] as readonly ObjectEventType[],
  prefix: '',
  format: 'JSON_API_V1' as const,
  key: '',
  value: '',
};

export function SubscriptionForm({
  bucket,
  userProject,
  onChanged,
}: Bucket & { readonly onChanged: () => void }) {
  const client = useApolloClient();
  const { errors, busy, send, form } = useForm('notification');
  const [draft, setDraft] = useState<Omit<typeof empty, 'format'> & { format: 'JSON_API_V1' | 'NONE' }>(
    empty,
  );
  const put = (change: Partial<typeof draft>): void => setDraft({ ...draft, ...change });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { topic, types, prefix, format, key, value } = draft;
    const notification: NotificationInput = {
      topic: topic || null,
      event_types: [...types],
      object_name_prefix: prefix || null,
      payload_format: format,
      ...((key || value) && { custom_attributes: { [key]: value } }),
    };
    void send({ bucket, userProject, notification }, async (requestId) => {
      await client.mutate({
        mutation: insertNotification,
        variables: { bucket, userProject, requestId, notification },
      });
      setDraft(empty);
      notify('done', 'The subscription is there.');
      onChanged();
    });
  };
  const attribute = `custom_attributes.${draft.key}`;
  return (
    <form ref={form} className="stack" onSubmit={submit} noValidate aria-label="New subscription">
      <h4>New subscription</h4>
      <Problem text={errors['']} />
      <TextField
        label="Topic"
        hint="projects/demo-project/topics/…"
        value={draft.topic}
        onChange={(topic) => put({ topic })}
        error={messagesAt(errors, 'topic')}
      />
      <fieldset>
        <legend>Told of</legend>
        <div className="row wrap">
          {eventTypes.map(([type, label]) => (
            <Check
              key={type}
              label={label}
              checked={draft.types.includes(type)}
              onChange={(checked) =>
                put({ types: checked ? [...draft.types, type] : draft.types.filter((one) => one !== type) })
              }
            />
          ))}
        </div>
        <p className="hint">None of them: every kind of change.</p>
        <FieldError error={messagesAt(errors, 'event_types')} />
      </fieldset>
      <div className="row">
        <TextField
          label="Names begin with"
          value={draft.prefix}
          onChange={(prefix) => put({ prefix })}
          error={messagesAt(errors, 'object_name_prefix')}
        />
        <SelectField
          label="Body"
          options={formats}
          value={draft.format}
          onChange={(format) => put({ format })}
          error={messagesAt(errors, 'payload_format')}
        />
      </div>
      <div className="row">
        <TextField
          label="Attribute"
          value={draft.key}
          onChange={(key) => put({ key })}
          error={messagesAt(errors, 'custom_attributes', attribute)}
        />
        <TextField
          label="Its value"
          value={draft.value}
          onChange={(value) => put({ value })}
          error={undefined}
        />
      </div>
      <button type="submit" disabled={busy}>
        <Icon name="plus" />
        Subscribe
      </button>
    </form>
  );
}
