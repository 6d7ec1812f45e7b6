import { messagesAt } from '../api/failure.ts';
import { Checkbox, FieldError, SelectField, TextField } from '../ui/field.tsx';
import { Icon, IconButton } from '../ui/icon.tsx';
import type { Reminder } from './draft.ts';
import type { SectionProps } from './section-props.ts';

/** Text messages are no longer sent; they are offered to show a warning of the gateway. */
const methodLabels = [
  ['popup', 'On the screen'],
  ['email', 'By e-mail'],
  ['sms', 'By text message (no longer sent)'],
] as const;

const defaultMinutes = '10';

/** Edits the reminders that the caller has of an event. */
export function ReminderFields({ draft: { useDefault, reminders }, errors, onChange }: SectionProps) {
  const changeReminder = (index: number, change: Partial<Reminder>): void =>
    onChange({
      reminders: reminders.map((row, rowIndex) => (rowIndex === index ? { ...row, ...change } : row)),
    });
  return (
    <fieldset>
      <legend>My reminders</legend>
      <Checkbox
        label="Use calendar default"
        checked={useDefault}
        onChange={(checked) => onChange({ useDefault: checked })}
      />
      {!useDefault &&
        reminders.map(({ key, method, minutes }, index) => {
          const path = `reminders.overrides.${key}`;
          return (
            <div className="row entry" key={key}>
              <SelectField
                hideLabel
                label={`How reminder ${index + 1} comes`}
                options={methodLabels}
                value={method}
                onChange={(value) => changeReminder(index, { method: value })}
                error={messagesAt(errors, path, `${path}.method`)}
              />
              <TextField
                hideLabel
                label={`Minutes before, reminder ${index + 1}`}
                hint="minutes before"
                type="number"
                value={minutes}
                onChange={(value) => changeReminder(index, { minutes: value })}
                error={messagesAt(errors, `${path}.minutes`)}
              />
              <IconButton
                icon="trash"
                label={`Remove reminder ${index + 1}`}
                onClick={() => onChange({ reminders: reminders.toSpliced(index, 1) })}
              />
            </div>
          );
        })}
      <FieldError error={messagesAt(errors, 'reminders', 'reminders.overrides', 'reminders.useDefault')} />
      {!useDefault && (
        <button
          type="button"
          className="link"
          onClick={() =>
            onChange({
              reminders: [
                ...reminders,
                { key: crypto.randomUUID(), method: 'popup', minutes: defaultMinutes },
              ],
            })
          }
        >
          <Icon name="plus" />
          Add a reminder
        </button>
      )}
    </fieldset>
  );
}
