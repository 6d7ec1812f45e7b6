import type { ReactNode } from 'react';
import { Icon } from '../ui/icon.tsx';
import type { Placed } from './layout.ts';
import { useDrag, type Shift } from './use-drag.ts';
import { clock, dayName, spokenTimes, type CalendarEvent, type Times } from './week.ts';

export interface CardProps {
  readonly placed: Placed;
  readonly pixelsPerMinute: number;
  readonly onOpen: (event: CalendarEvent) => void;
  readonly onShift: (event: CalendarEvent, times: Times) => void;
}

/** An event in its day: Enter opens it, the pointer or Alt with the arrows moves it. */
export function EventCard({ placed, pixelsPerMinute, onOpen, onShift }: CardProps) {
  const { event, times, from, to, lane, lanes } = placed;
  const { shift, endsMove, handlers } = useDrag(pixelsPerMinute, (by) => onShift(event, shifted(times, by)));
  const shown = shift ? shifted(times, shift) : times;
  const length = Math.max(to - from, 24) + (shift?.endOnly ? shift.minutes : 0);
  const short = !times.allDay && length < 40;
  return (
    <button
      type="button"
      className={`event hue-${hueOf(event)}`}
      data-event={event.nodeId}
      data-timed={!times.allDay || undefined}
      data-status={event.status}
      data-moving={shift !== undefined || undefined}
      data-short={short || undefined}
      aria-describedby="how-to-move"
      style={times.allDay ? undefined : {
        top: `${from * pixelsPerMinute}px`,
        height: `${Math.max(15, length) * pixelsPerMinute - 2}px`,
        left: `${(lane / lanes) * 100}%`,
        width: `calc(${100 / lanes}% - 4px)`,
        translate: shift && !shift.endOnly ? `calc(${shift.days} * var(--day-width)) ${shift.minutes * pixelsPerMinute}px` : undefined,
      }}
      onClick={(click) => {
        click.stopPropagation();
        if (!endsMove()) onOpen(event);
      }}
      {...(times.allDay ? {} : handlers)}
    >
      <span className="event-title">
        {event.recurringEventId && <Icon name="repeat" />}
        {event.visibility === 'private' && <Icon name="lock" />}
        {titleOf(event)}
      </span>
      {times.allDay ? <Hidden>{spokenTimes(shown)}</Hidden> : (
        <span className="event-time">
          <Hidden>{dayName(shown.start.toPlainDate())}, </Hidden>
          {clock(shown.start)}
          {short ? <Hidden> – {clock(shown.end)}</Hidden> : ` – ${clock(shown.end)}`}
        </span>
      )}
      {event.location && <span className="event-place">{event.location}</span>}
      <Hidden>{remarksOn(event)}</Hidden>
      {!times.allDay && <span className="event-handle" data-handle="end" />}
    </button>
  );
}

export const titleOf = ({ summary }: CalendarEvent): string => summary || '(no title)';

/** What the picture of an event says by its look. */
const remarksOn = ({ status, visibility, recurringEventId, attendees }: CalendarEvent): string =>
  [
    status === 'tentative' && 'tentative',
    visibility === 'private' && 'private',
    recurringEventId && 'one of a series',
    attendees?.length && `${attendees.length} guests`,
  ].filter(Boolean).join(', ');

const Hidden = ({ children }: { readonly children: ReactNode }) => <span className="hidden">{children}</span>;

function shifted(times: Times, { days, minutes, endOnly }: Shift): Times {
  const end = times.end.add({ days, minutes });
  if (!endOnly) return { ...times, start: times.start.add({ days, minutes }), end };
  // An end before the start is left to the gateway to refuse; one at the start is no length at all.
  return { ...times, end: end.toString() > times.start.toString() ? end : times.end };
}

const hues = 5;

/** The same hue for all instances of a series. */
function hueOf({ recurringEventId, id }: CalendarEvent): number {
  let sum = 0;
  for (const character of recurringEventId ?? id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % hues;
}
