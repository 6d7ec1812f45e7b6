import { useRef, useState } from 'react';
import { messagesAt } from '../api/failure.ts';
import { Checkbox, SelectField, TextField } from '../ui/field.tsx';
import { toZonedTime, describeTimes } from '../calendar/event-times.ts';
import { bindFields } from '../ui/use-form.ts';
import type { Draft } from './draft.ts';
import {
  hasCompleteTimes,
  isCompleteStart,
  moveDraftStart,
  readTypedTimes,
  type DraftStart,
} from './draft-times.ts';
import type { SectionProps } from './section-props.ts';

interface TimesFieldsProps extends SectionProps {
  /** Time zone of the page. */
  readonly zone: string;
}

/** Edits start and end. The end follows the start, so the length stays. */
export function TimesFields({ draft, errors, onChange, zone }: TimesFieldsProps) {
  const { allDay } = draft;
  const field = bindFields(draft, errors, onChange);
  // A date is incomplete while it is typed: the length of the event is that from the last complete start.
  const lastStart = useRef<DraftStart>(draft);
  const changeStart = (change: Partial<DraftStart>): void => {
    onChange(moveDraftStart(draft, lastStart.current, change));
    if (isCompleteStart({ ...draft, ...change })) lastStart.current = { ...draft, ...change };
  };
  const startField = bindFields<DraftStart>(draft, errors, changeStart);
  return (
    <fieldset>
      <legend className="hidden">When</legend>
      <div className="row">
        <TextField
          type="date"
          label="Start date"
          {...startField('startDate', 'start', 'start.date', 'start.dateTime')}
        />
        {!allDay && <TextField type="time" label="Start time" {...startField('startTime', 'start.time')} />}
      </div>
      <div className="row">
        <TextField type="date" label="End date" {...field('endDate', 'end', 'end.date', 'end.dateTime')} />
        {!allDay && <TextField type="time" label="End time" {...field('endTime', 'end.time')} />}
      </div>
      <Checkbox label="All day" checked={allDay} onChange={(checked) => onChange({ allDay: checked })} />
      {!allDay && <ZoneFields {...{ draft, errors, onChange, zone }} />}
    </fieldset>
  );
}

const knownZones = Intl.supportedValuesOf('timeZone');

/** Chooses the time zone of both times; of each if an event has two. */
function ZoneFields({ draft, errors, onChange, zone }: TimesFieldsProps) {
  const { startZone, endZone } = draft;
  const [hadTwoZones] = useState(startZone !== endZone);
  const hasTwoZones = hadTwoZones || startZone !== endZone;
  const options = [...new Set([zone, startZone, endZone, ...knownZones])]
    .sort()
    .map((name) => [name, name.replaceAll('_', ' ')] as const);
  return (
    <>
      <SelectField
        label={hasTwoZones ? 'Time zone of the start' : 'Time zone'}
        hint={hasTwoZones ? undefined : describePageTimes(draft, zone)}
        options={options}
        value={startZone}
        onChange={(name) => onChange({ startZone: name, ...(!hasTwoZones && { endZone: name }) })}
        error={messagesAt(errors, 'start.timeZone', ...(hasTwoZones ? [] : ['end.timeZone']))}
      />
      {hasTwoZones && (
        <SelectField
          label="Time zone of the end"
          hint={describePageTimes(draft, zone)}
          options={options}
          {...bindFields(draft, errors, onChange)('endZone', 'end.timeZone')}
        />
      )}
    </>
  );
}

/** Describes the typed times in the page's time zone; undefined if they are typed in it, or incomplete. */
function describePageTimes(draft: Draft, zone: string): string | undefined {
  if ((draft.startZone === zone && draft.endZone === zone) || !hasCompleteTimes(draft)) return undefined;
  const { start, end } = readTypedTimes(draft);
  const pageTimes = {
    allDay: false,
    start: toZonedTime(start, zone).withTimeZone(zone),
    end: toZonedTime(end, zone).withTimeZone(zone),
  };
  return `${describeTimes(pageTimes)} in ${zone.replaceAll('_', ' ')}`;
}
