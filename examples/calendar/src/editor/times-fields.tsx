import { useRef } from 'react';
import { messagesAt } from '../api/failure.ts';
import { Check, TextField } from '../ui/field.tsx';
import { isWholeStart, moveStart, type Start } from './draft-times.ts';
import type { PartProps } from './fields.ts';

/** The start and the end of an event. */
export function TimesFields({ draft, errors, onChange }: PartProps) {
  const { allDay, startDate, startTime, endDate, endTime } = draft;
  // A start is incomplete while it is typed; the length is that from the last whole one.
  const wholeStart = useRef<Start>(draft);
  const putStart = (change: Partial<Start>): void => {
    onChange(moveStart(draft, wholeStart.current, change));
    if (isWholeStart({ ...draft, ...change })) wholeStart.current = { ...draft, ...change };
  };
  return (
    <fieldset>
      <legend className="hidden">When</legend>
      <div className="row">
        <TextField
          type="date"
          label="Start date"
          value={startDate}
          onChange={(value) => putStart({ startDate: value })}
          error={messagesAt(errors, 'start', 'start.date', 'start.dateTime', 'start.timeZone')}
        />
        {!allDay && (
          <TextField
            type="time"
            label="Start time"
            value={startTime}
            onChange={(value) => putStart({ startTime: value })}
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
      <Check label="All day" checked={allDay} onChange={(checked) => onChange({ allDay: checked })} />
    </fieldset>
  );
}
