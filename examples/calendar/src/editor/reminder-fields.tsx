import { messagesAt } from '../api/failure.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Checkbox, FieldError, SelectField, TextField } from '../ui/field.tsx';
import { bindFields } from '../ui/use-form.ts';
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
  return (
    <fieldset>
      <legend>My reminders</legend>
      <Checkbox
        label="Use calendar default"
        checked={useDefault}
        onChange={(checked) => onChange({ useDefault: checked })}
      />
      {!useDefault &&
        reminders.map((reminder, index) => {
          const path = `reminders.overrides.${reminder.key}`;
          const field = bindFields(reminder, errors, (change) =>
            onChange({ reminders: reminders.with(index, { ...reminder, ...change }) }),
          );
          return (
            <div className="row entry" key={reminder.key}>
              <SelectField
                hideLabel
                label={`How reminder ${index + 1} comes`}
                options={methodLabels}
                {...field('method', path, `${path}.method`)}
              />
              <TextField
                hideLabel
                label={`Minutes before, reminder ${index + 1}`}
                hint="minutes before"
                type="number"
                {...field('minutes', `${path}.minutes`)}
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
        <Button
          className="link"
          onClick={() =>
            onChange({
              reminders: [
                ...reminders,
                { key: crypto.randomUUID(), method: 'popup', minutes: defaultMinutes },
              ],
            })
          }
          icon="plus"
        >
          Add a reminder
        </Button>
      )}
    </fieldset>
  );
}
