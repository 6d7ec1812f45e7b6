import { messagesAt } from '../api/failure.ts';
import { Check, FieldError, SelectField, TextField } from '../ui/field.tsx';
import { repeatsWords, type Repeats } from './draft.ts';
import type { PartProps } from './fields.ts';

/** `repeats`: what may be chosen of it; nothing where the rule is not the caller's to change. */
export function TimesFields({
  draft,
  errors,
  onChange,
  repeats,
}: PartProps & { readonly repeats: readonly Repeats[] }) {
  const { allDay, startDate, startTime, endDate, endTime } = draft;
  return (
    <fieldset>
      <legend className="hidden">When</legend>
      <div className="row">
        <TextField
          type="date"
          label="Start date"
          value={startDate}
          onChange={(value) => onChange({ startDate: value, ...(endDate < value && { endDate: value }) })}
          error={messagesAt(errors, 'start', 'start.date', 'start.dateTime', 'start.timeZone')}
        />
        {!allDay && (
          <TextField
            type="time"
            label="Start time"
            value={startTime}
            onChange={(value) => onChange({ startTime: value })}
            error={messagesAt(errors, 'start.time')}
          />
        )}
      </div>
      <div className="row">
        <TextField
          type="date"
          label="End date"
          value={endDate}
          onChange={(value) => onChange({ endDate: value })}
          error={messagesAt(errors, 'end', 'end.date', 'end.dateTime', 'end.timeZone')}
        />
        {!allDay && (
          <TextField
            type="time"
            label="End time"
            value={endTime}
            onChange={(value) => onChange({ endTime: value })}
            error={messagesAt(errors, 'end.time')}
          />
        )}
      </div>
      <div className="row">
        <Check label="All day" checked={allDay} onChange={(checked) => onChange({ allDay: checked })} />
        {repeats.length > 0 && (
          <SelectField
            label="Repeats"
            hideLabel
            options={repeats.map((one) => [one, repeatsWords[one]])}
            value={draft.repeats}
            onChange={(value) => onChange({ repeats: value })}
            error={undefined}
          />
        )}
      </div>
      <FieldError error={messagesAt(errors, 'recurrence', 'recurrence.0')} />
    </fieldset>
  );
}
