import { useApolloClient } from '@apollo/client/react';
import { useEffect, useState, type FormEvent } from 'react';
import { showNotice } from '../api/notices.ts';
import { patchCalendarMutation } from '../api/operations.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/form-problem.tsx';
import { SavingStatus } from '../ui/saving-status.tsx';
import { useForm } from '../ui/use-form.ts';
import type { Calendar } from './calendar.ts';
import { chooseCalendarColor } from './colors.ts';
import { toPatchInput, rebaseSettings, SettingsFields, settingsOf } from './settings-fields.tsx';

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

/** Form with the settings of a calendar. Merges the changes that other people stored meanwhile. */
export function SettingsForm({ calendar, onChanged, onClose, onInput, onDelete }: SettingsFormProps) {
  const client = useApolloClient();
  const [baseCalendar, setBaseCalendar] = useState(calendar);
  const baseSettings = settingsOf(baseCalendar);
  const [settings, setSettings] = useState(baseSettings);
  const { errors, setErrors, isBusy, send, form } = useForm('calendar', settings);
  // The calendar list was read again and has newer settings.
  if (baseCalendar !== calendar && baseCalendar.etag !== calendar.etag) {
    setBaseCalendar(calendar);
    setSettings(rebaseSettings(baseSettings, settings, settingsOf(calendar)));
  }
  const patchInput = toPatchInput(settings, baseSettings);
  const hasInput = Object.keys(patchInput).length > 0;
  useEffect(() => onInput(hasInput), [hasInput, onInput]);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!hasInput) return onClose();
    const failure = await send(patchInput, async () => {
      await client.mutate({
        mutation: patchCalendarMutation,
        variables: { calendarId: baseCalendar.id, calendar: patchInput, ifMatch: baseCalendar.etag },
      });
      showNotice('done', 'The calendar was saved.');
      onClose();
      await onChanged().catch(() => undefined);
    });
    if (!failure?.isConflict) return;
    await onChanged().catch(() => undefined);
    setErrors({ '': conflictMessage });
  };
  return (
    <form ref={form} onSubmit={(event) => void submit(event)} aria-busy={isBusy} noValidate>
      <Problem text={errors['']} />
      <SettingsFields
        settings={settings}
        errors={errors}
        titleHint={baseCalendar.id}
        shownColor={chooseCalendarColor(baseCalendar)}
        onChange={setSettings}
      />
      <div className="actions">
        {onDelete && (
          <Button className="danger" disabled={isBusy} onClick={onDelete} icon="trash">
            Delete
          </Button>
        )}
        <SavingStatus isBusy={isBusy} />
        <Button type="submit" className="primary" disabled={isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}
