import { messagesAt } from '../api/failure.ts';
import { Check, FieldError, SelectField, TextField } from '../ui/field.tsx';
import type { PartProps } from './fields.ts';

const repeats = [['', 'Does not repeat'], ['DAILY', 'Every day'], ['WEEKLY', 'Every week']] as const;

export function TimesFields({ draft, errors, onChange, isNew }: PartProps & { readonly isNew: boolean }) {
  const { allDay, startDate, startTime, endDate, endTime } = draft;
  return (
    <fieldset>
      <legend>When</legend>
      <div className="row">
        <TextField type="date" label="Start date" value={startDate} onChange={(value) => onChange({ startDate: value, ...(endDate < value && { endDate: value }) })}
          error={messagesAt(errors, 'start', 'start.date', 'start.dateTime', 'start.timeZone')} />
        {!allDay && <TextField type="time" label="Start time" value={startTime} onChange={(value) => onChange({ startTime: value })} error={undefined} />}
      </div>
      <div className="row">
        <TextField type="date" label="End date" value={endDate} onChange={(value) => onChange({ endDate: value })}
          error={messagesAt(errors, 'end', 'end.date', 'end.dateTime', 'end.timeZone')} />
        {!allDay && <TextField type="time" label="End time" value={endTime} onChange={(value) => onChange({ endTime: value })} error={undefined} />}
      </div>
      <div className="row">
        <Check label="All day" checked={allDay} onChange={(checked) => onChange({ allDay: checked })} />
        {isNew && <SelectField label="Repeats" hideLabel options={repeats} value={draft.repeats} onChange={(value) => onChange({ repeats: value })} error={undefined} />}
      </div>
      <FieldError error={messagesAt(errors, 'recurrence', 'recurrence.0')} />
    </fieldset>
  );
}
