import { useApolloClient } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { showNotice } from '../api/notices.ts';
import { insertCalendarMutation } from '../api/operations.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/form-problem.tsx';
import { SavingStatus } from '../ui/saving-status.tsx';
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
  const { errors, isBusy, send, form } = useForm('calendar', settings);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
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
    <Dialog title="New calendar" onClose={onClose}>
      <form ref={form} onSubmit={submit} aria-busy={isBusy} noValidate>
        <Problem text={errors['']} />
        <SettingsFields settings={settings} errors={errors} onChange={setSettings} />
        <footer>
          <SavingStatus isBusy={isBusy} />
          <button type="button" disabled={isBusy} onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={isBusy}>
            Create
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
