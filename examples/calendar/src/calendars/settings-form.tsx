import { useApolloClient } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { notify } from '../api/notices.ts';
import { patchCalendar } from '../api/operations.ts';
import { Icon } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { Saving } from '../ui/saving.tsx';
import { useForm } from '../ui/use-form.ts';
import type { Calendar } from './calendar.ts';
import { inputOf, rebased, SettingsFields, settingsOf } from './settings-fields.tsx';

interface SettingsProps {
  readonly calendar: Calendar;
  readonly onChanged: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly onDelete: (() => void) | undefined;
}

const changedMeanwhile =
  'Somebody else changed this calendar meanwhile. What you changed stands here beside what they changed: look, and save again.';

export function SettingsForm({ calendar, onChanged, onClose, onDelete }: SettingsProps) {
  const client = useApolloClient();
  const { errors, setErrors, busy, send, form } = useForm('calendar');
  const [base, setBase] = useState(calendar);
  const before = settingsOf(base);
  const [settings, setSettings] = useState(before);
  // The list was read again: use its current settings.
  if (base !== calendar && base.etag !== calendar.etag) {
    setBase(calendar);
    setSettings(rebased(before, settings, settingsOf(calendar)));
  }
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const input = inputOf(settings, before);
    if (Object.keys(input).length === 0) return onClose();
    const failure = await send(input, async () => {
      await client.mutate({
        mutation: patchCalendar,
        variables: { calendarId: base.id, calendar: input, ifMatch: base.etag },
      });
      notify('done', 'The calendar was saved.');
      onClose();
      await onChanged().catch(() => undefined);
    });
    if (!failure?.conflict) return;
    await onChanged().catch(() => undefined);
    setErrors({ '': changedMeanwhile });
  };
  return (
    <form ref={form} onSubmit={(event) => void submit(event)} aria-busy={busy} noValidate>
      <Problem text={errors['']} />
      <SettingsFields settings={settings} errors={errors} titleHint={base.id} onChange={setSettings} />
      <div className="actions">
        {onDelete && (
          <button type="button" className="danger" disabled={busy} onClick={onDelete}>
            <Icon name="trash" />
            Delete
          </button>
        )}
        <Saving busy={busy} />
        <button type="submit" className="primary" disabled={busy}>
          Save
        </button>
      </div>
    </form>
  );
}
