import { useApolloClient } from '@apollo/client/react';
import { useEffect, useState, type FormEvent } from 'react';
import { notify } from '../api/notices.ts';
import { patchCalendar } from '../api/operations.ts';
import { Icon } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { Saving } from '../ui/saving.tsx';
import { useForm } from '../ui/use-form.ts';
import type { Calendar } from './calendar.ts';
import { colorFor } from './colors.ts';
import { patchInputOf, rebaseSettings, SettingsFields, settingsOf } from './settings-fields.tsx';

interface SettingsFormProps {
  readonly calendar: Calendar;
  readonly onChanged: () => Promise<unknown>;
  readonly onClose: () => void;
  /** Called with whether closing would lose input. */
  readonly onInput: (hasInput: boolean) => void;
  /** Undefined for the primary calendar, which cannot be deleted. */
  readonly onDelete: (() => void) | undefined;
}

const conflictMessage =
  'Somebody else changed this calendar meanwhile. The form now has their changes and yours. Please check it and save again.';

export function SettingsForm({ calendar, onChanged, onClose, onInput, onDelete }: SettingsFormProps) {
  const client = useApolloClient();
  const { errors, setErrors, busy, send, form } = useForm('calendar');
  const [baseCalendar, setBaseCalendar] = useState(calendar);
  const before = settingsOf(baseCalendar);
  const [settings, setSettings] = useState(before);
  // The calendar list was read again and has newer settings.
  if (baseCalendar !== calendar && baseCalendar.etag !== calendar.etag) {
    setBaseCalendar(calendar);
    setSettings(rebaseSettings(before, settings, settingsOf(calendar)));
  }
  const input = patchInputOf(settings, before);
  const hasInput = Object.keys(input).length > 0;
  useEffect(() => onInput(hasInput), [hasInput, onInput]);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!hasInput) return onClose();
    const failure = await send(input, async () => {
      await client.mutate({
        mutation: patchCalendar,
        variables: { calendarId: baseCalendar.id, calendar: input, ifMatch: baseCalendar.etag },
      });
      notify('done', 'The calendar was saved.');
      onClose();
      await onChanged().catch(() => undefined);
    });
    if (!failure?.isConflict) return;
    await onChanged().catch(() => undefined);
    setErrors({ '': conflictMessage });
  };
  return (
    <form ref={form} onSubmit={(event) => void submit(event)} aria-busy={busy} noValidate>
      <Problem text={errors['']} />
      <SettingsFields
        settings={settings}
        errors={errors}
        titleHint={baseCalendar.id}
        shownColor={colorFor(baseCalendar)}
        onChange={setSettings}
      />
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
