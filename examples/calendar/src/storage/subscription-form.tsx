import { useApolloClient } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { messagesAt } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { insertNotificationMutation } from '../api/operations.ts';
import type { NotificationInput, ObjectEventType, PayloadFormat } from '../gql/graphql.ts';
import { Checkbox, FieldError, SelectField, TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Problem } from '../ui/form-problem.tsx';
import { useForm } from '../ui/use-form.ts';
import { AttributeFields, type Attribute } from './attribute-fields.tsx';
import type { BilledBucket } from './bucket.ts';
import { eventTypes, payloadFormats } from './labels.ts';

/** Contents of the form. Empty texts and lists are absent values of the subscription. */
interface SubscriptionDraft {
  readonly topic: string;
  readonly types: readonly ObjectEventType[];
  readonly prefix: string;
  readonly format: PayloadFormat;
  readonly attributes: readonly Attribute[];
}

interface SubscriptionFormProps extends BilledBucket {
  readonly onChanged: () => void;
}

const emptyDraft: SubscriptionDraft = {
  topic: '',
  types: [],
  prefix: '',
  format: 'JSON_API_V1',
  attributes: [],
};

/** Creates a subscription of a bucket. */
export function SubscriptionForm({ bucket, userProject, onChanged }: SubscriptionFormProps) {
  const client = useApolloClient();
  const { errors, setErrors, isBusy, send, form } = useForm('notification');
  const [draft, setDraft] = useState(emptyDraft);
  const changeDraft = (change: Partial<SubscriptionDraft>): void => setDraft({ ...draft, ...change });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { topic, types, prefix, format } = draft;
    const attributes = draft.attributes.filter(({ name, value }) => name || value);
    const duplicateAttribute = attributes.find(({ name }, index) =>
      attributes.slice(0, index).some((earlierAttribute) => earlierAttribute.name === name),
    );
    if (duplicateAttribute)
      return setErrors({
        [`custom_attributes.${duplicateAttribute.name}`]:
          'Two attributes have this name. Rename or remove one.',
      });
    const notification: NotificationInput = {
      topic: topic || null,
      event_types: [...types],
      object_name_prefix: prefix || null,
      payload_format: format,
      custom_attributes: Object.fromEntries(attributes.map(({ name, value }) => [name, value])),
    };
    void send({ bucket, userProject, notification }, async (requestId) => {
      await client.mutate({
        mutation: insertNotificationMutation,
        variables: { bucket, userProject, requestId, notification },
      });
      setDraft(emptyDraft);
      // The notice replaces one that no subscription matches.
      showNotice('done', 'Subscription created.', undefined, `buckets/${bucket}`);
      onChanged();
    });
  };
  return (
    <form ref={form} className="stack" onSubmit={submit} noValidate aria-label="New subscription">
      <h4>New subscription</h4>
      <Problem text={errors['']} />
      <TextField
        label="Topic"
        hint="projects/demo-project/topics/…"
        value={draft.topic}
        onChange={(topic) => changeDraft({ topic })}
        error={messagesAt(errors, 'topic')}
      />
      <fieldset>
        <legend>Event types</legend>
        <div className="row wrap">
          {eventTypes.map(([type, label]) => (
            <Checkbox
              key={type}
              label={label}
              checked={draft.types.includes(type)}
              onChange={(checked) =>
                changeDraft({
                  types: checked
                    ? [...draft.types, type]
                    : draft.types.filter((draftType) => draftType !== type),
                })
              }
            />
          ))}
        </div>
        <p className="hint">Leave empty for all.</p>
        <FieldError error={messagesAt(errors, 'event_types')} />
      </fieldset>
      <div className="row wrap">
        <TextField
          label="Object name prefix"
          value={draft.prefix}
          onChange={(prefix) => changeDraft({ prefix })}
          error={messagesAt(errors, 'object_name_prefix')}
        />
        <SelectField
          label="Message body"
          options={payloadFormats}
          value={draft.format}
          onChange={(format) => changeDraft({ format })}
          error={messagesAt(errors, 'payload_format')}
        />
      </div>
      <AttributeFields
        attributes={draft.attributes}
        errors={errors}
        onChange={(attributes) => changeDraft({ attributes })}
      />
      <button type="submit" disabled={isBusy}>
        <Icon name="plus" />
        Subscribe
      </button>
    </form>
  );
}
