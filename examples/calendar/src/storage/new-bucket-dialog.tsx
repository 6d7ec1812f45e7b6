import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { messagesAt } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { insertBucketMutation } from '../api/operations.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { Checkbox, TextField } from '../ui/field.tsx';
import { useForm } from '../ui/use-form.ts';

interface NewBucketDialogProps {
  readonly project: string;
  readonly onClose: () => void;
  readonly onCreated: (name: string) => void;
}

/** Creates a bucket in a project. */
export function NewBucketDialog({ project, onClose, onCreated }: NewBucketDialogProps) {
  const client = useApolloClient();
  const [name, setName] = useState('');
  const [requesterPays, setRequesterPays] = useState(false);
  const bucket = { name, billing: { requesterPays } };
  const { errors, send, dialogProps } = useForm('bucket', bucket);
  const submit = (): void => {
    void send({ project, bucket }, async (requestId) => {
      await client.mutate({ mutation: insertBucketMutation, variables: { project, requestId, bucket } });
      showNotice('done', `Bucket “${name}” created.`);
      onClose();
      onCreated(name);
    });
  };
  return (
    <FormDialog
      title="New bucket"
      isNarrow
      submitLabel="Create"
      {...dialogProps}
      hasInput={name !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="3 to 63 lower-case letters, digits, dots, hyphens and underscores; no other bucket has it"
        value={name}
        onChange={setName}
        error={messagesAt(errors, 'name')}
      />
      <Checkbox label="Requester pays" checked={requesterPays} onChange={setRequesterPays} />
    </FormDialog>
  );
}
