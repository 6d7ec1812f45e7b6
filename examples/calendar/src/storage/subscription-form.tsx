import { useApolloClient } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { messagesAt } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { insertNotificationMutation } from '../api/operations.ts';
import type { NotificationInput, ObjectEventType, PayloadFormat } from '../gql/graphql.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox, FieldError, SelectField, TextField } from '../ui/field.tsx';
import { Problem } from '../ui/form-problem.tsx';
import { bindFields, useForm } from '../ui/use-form.ts';
import { AttributeFields, type Attribute } from './attribute-fields.tsx';
import type { BilledBucket } from './bucket.ts';
import { eventTypes, payloadFormats } from './labels.ts';

/** Contents of the form, by the names of the input. Empty texts and lists are absent values of the subscription. */
interface SubscriptionDraft {
  readonly topic: string;
  readonly event_types: readonly ObjectEventType[];
  readonly object_name_prefix: string;
  readonly payload_format: PayloadFormat;
  readonly custom_attributes: readonly Attribute[];
}

interface SubscriptionFormProps extends BilledBucket {
  readonly onChanged: () => void;
}

const emptyDraft: SubscriptionDraft = {
  topic: '',
  event_types: [],
  object_name_prefix: '',
  payload_format: 'JSON_API_V1',
  custom_attributes: [],
};

/** Creates a subscription of a bucket. */
export function SubscriptionForm({ bucket, userProject, onChanged }: SubscriptionFormProps) {
  const client = useApolloClient();
  const [draft, setDraft] = useState(emptyDraft);
  const { errors, setErrors, isBusy, send, form } = useForm('notification', draft);
  const changeDraft = (change: Partial<SubscriptionDraft>): void => setDraft({ ...draft, ...change });
  const field = bindFields(draft, errors, changeDraft);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const attributes = draft.custom_attributes.filter(({ name, value }) => name || value);
    const duplicateAttribute = attributes.find(({ name }, index) =>
      attributes.slice(0, index).some((earlierAttribute) => earlierAttribute.name === name),
    );
    if (duplicateAttribute)
      return setErrors({
        [`custom_attributes.${duplicateAttribute.name}`]:
          'Two attributes have this name. Rename or remove one.',
      });
    const notification: NotificationInput = {
      topic: draft.topic || null,
      event_types: [...draft.event_types],
      object_name_prefix: draft.object_name_prefix || null,
      payload_format: draft.payload_format,
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
      <TextField label="Topic" hint="projects/demo-project/topics/…" {...field('topic')} />
      <fieldset>
        <legend>Event types</legend>
        <div className="row wrap">
          {eventTypes.map(([type, label]) => (
            <Checkbox
              key={type}
              label={label}
              checked={draft.event_types.includes(type)}
              onChange={(checked) =>
                changeDraft({
                  event_types: checked
                    ? [...draft.event_types, type]
                    : draft.event_types.filter((draftType) => draftType !== type),
                })
              }
            />
          ))}
        </div>
        <p className="hint">Leave empty for all.</p>
        <FieldError error={messagesAt(errors, 'event_types')} />
      </fieldset>
      <div className="row wrap">
        <TextField label="Object name prefix" {...field('object_name_prefix')} />
        <SelectField label="Message body" options={payloadFormats} {...field('payload_format')} />
      </div>
      <AttributeFields
        attributes={draft.custom_attributes}
        errors={errors}
        onChange={(attributes) => changeDraft({ custom_attributes: attributes })}
      />
      <Button type="submit" disabled={isBusy} icon="plus">
        Subscribe
      </Button>
    </form>
  );
}
