import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { showNotice } from '../api/notices.ts';
import { insertCalendarMutation } from '../api/operations.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { useForm } from '../ui/use-form.ts';
import { palette } from './colors.ts';
import { SettingsFields, type Settings } from './settings-fields.tsx';

interface NewCalendarProps {
  readonly onClose: () => void;
  readonly onChanged: () => Promise<unknown>;
}

/** Form for the settings of a new calendar. */
export function NewCalendarDialog({ onClose, onChanged }: NewCalendarProps) {
  const client = useApolloClient();
  const [settings, setSettings] = useState<Settings>(() => ({
    summary: '',
    description: '',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    backgroundColor: palette[0]?.[0] ?? '',
  }));
  const { errors, send, dialogProps } = useForm('calendar', settings);
  const submit = (): void => {
    // An empty title is sent, so that the gateway reports it at its field.
    const calendar = { ...settings, description: settings.description || null };
    void send(calendar, async (requestId) => {
      await client.mutate({ mutation: insertCalendarMutation, variables: { calendar, requestId } });
      showNotice('done', `The calendar “${settings.summary}” was created.`);
      onClose();
      await onChanged().catch(() => undefined);
    });
  };
  return (
    <FormDialog
      title="New calendar"
      submitLabel="Create"
      {...dialogProps}
      hasInput={settings.summary !== '' || settings.description !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <SettingsFields settings={settings} errors={errors} onChange={setSettings} />
    </FormDialog>
  );
}
