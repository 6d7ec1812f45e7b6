import FullCalendar, { type CalendarOptions, type CalendarRef, type DayHeaderInfo, type EventDisplayInfo, type EventInput } from '@fullcalendar/react';
import dayGridPlugin from '@fullcalendar/react/daygrid';
import interactionPlugin from '@fullcalendar/react/interaction';
import listPlugin from '@fullcalendar/react/list';
import timeGridPlugin from '@fullcalendar/react/timegrid';
import { useLayoutEffect, useMemo, useRef, type KeyboardEvent } from 'react';
import { Temporal } from 'temporal-polyfill';
import { Icon } from '../ui/icon.tsx';
import { EventCard, titleOf } from './event-card.tsx';
import { gridLook } from './grid-look.ts';
import { movedTo, shifted, shiftOf } from './shift.ts';
import type { Shown, View } from './shown.ts';
import { useEscape } from './use-escape.ts';
import { useRem } from './use-rem.ts';
import { dayName, timesOf, zonedOf, type CalendarEvent, type Times } from './week.ts';

export interface GridEvent {
  readonly event: CalendarEvent;
  readonly color: string;
  /** Whether it may be moved. */
  readonly editable: boolean;
}

interface GridProps {
  readonly shown: Shown;
  readonly zone: string;
  readonly isPhone: boolean;
  readonly events: readonly GridEvent[];
  readonly onOpen: (event: CalendarEvent) => void;
  readonly onMove: (event: CalendarEvent, times: Times) => void;
  readonly onEmpty: (times: Times) => void;
  readonly onDay: (date: Temporal.PlainDate) => void;
}

const plugins = [timeGridPlugin, dayGridPlugin, listPlugin, interactionPlugin];
/** Seven columns of hours do not fit a phone: a week is a list there. */
const viewNames = (isPhone: boolean): Readonly<Record<View, string>> => ({ day: 'timeGridDay', week: isPhone ? 'listWeek' : 'timeGridWeek', month: 'dayGridMonth' });
const clockFormat = { hour: '2-digit', minute: '2-digit', hour12: false } as const;

/** The views of the library, and what it lacks: moves by keys, a way out of a drag, a focus that goes along. */
export function Grid({ shown, zone, isPhone, events, onOpen, onMove, onEmpty, onDay }: GridProps) {
  const root = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const library = useRef<CalendarRef>(null);
  const rem = useRem(probe);
  const isCancelled = useEscape(root);
  const view = viewNames(isPhone)[shown.view];
  const date = shown.date.toString();
  useLayoutEffect(() => library.current?.getApi().changeView(view, date), [view, date]);

  // An event that moves to another day is another element there: who moved it with the keys goes on with it.
  const moved = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (moved.current === undefined || document.activeElement !== document.body) return;
    root.current?.querySelector<HTMLElement>(`[data-event="${CSS.escape(moved.current)}"]`)?.focus();
  });
  const known = useMemo(() => new Map(events.map((one) => [one.event.nodeId, one])), [events]);
  const inputs = useMemo(() => events.flatMap((one) => inputOf(one, zone)), [events, zone]);

  const onKeyDown = (key: KeyboardEvent): void => {
    const element = key.target instanceof Element ? key.target.closest<HTMLElement>('[data-event]') : undefined;
    const { event, editable } = known.get(element?.dataset.event ?? '') ?? {};
    const times = event && timesOf(event, zone);
    const shift = times && shiftOf(key, times.allDay);
    if (!shift) return;
    key.preventDefault();
    if (!editable) return;
    moved.current = event.nodeId;
    onMove(event, shifted(times, shift, zone));
  };
  const forget = (target: EventTarget): void => {
    if (!(target instanceof HTMLElement) || target.dataset.event !== moved.current) moved.current = undefined;
  };
  /** The library shows only what is stored, or is about to be: its own idea of a drop is taken back. */
  const drop = (id: string, revert: () => void, timesAfter: (before: Times) => Times): void => {
    const event = known.get(id)?.event;
    const times = event && timesOf(event, zone);
    revert();
    if (times && !isCancelled()) onMove(event, timesAfter(times));
  };

  const handlers: CalendarOptions = {
    eventClick: ({ event: { id }, jsEvent }) => {
      jsEvent.preventDefault();
      const { event } = known.get(id) ?? {};
      if (event && !isCancelled()) onOpen(event);
    },
    eventDrop: ({ event: { id, allDay, startStr }, revert }) => drop(id, revert, (before) => dropped(before, allDay, startStr, zone)),
    eventResize: ({ event: { id, allDay, endStr }, revert }) =>
      drop(id, revert, (before) => ({ ...before, end: allDay ? Temporal.PlainDate.from(endStr).toPlainDateTime() : zonedOf(endStr, zone) })),
    // One click is none too many; a second one is meant.
    dateClick: ({ allDay, dateStr, jsEvent }) => {
      if (jsEvent.detail === 2) onEmpty(emptyAt(allDay, dateStr, zone));
    },
    select: ({ allDay, startStr, endStr }) => {
      library.current?.getApi().unselect();
      if (!isCancelled()) onEmpty({ ...emptyAt(allDay, startStr, zone), end: allDay ? Temporal.PlainDate.from(endStr).toPlainDateTime() : zonedOf(endStr, zone) });
    },
    navLinkDayClick: (day) => onDay(dateAt(day, zone)),
    moreLinkClick: () => {
      requestAnimationFrame(keepInWindow);
      return 'popover';
    },
    // The library's own name for it lacks the day of the week, which is seen.
    dayHeaderDidMount: ({ el, date: day, text }) => el.querySelector('[role=link]')?.setAttribute('aria-label', `${text}, ${dayName(dateAt(day, zone))}`),
    eventDidMount: ({ el, event }) => {
      el.dataset.event = event.id;
      el.setAttribute('aria-describedby', 'how-to-move');
    },
  };
  const content = (info: EventDisplayInfo) => {
    const { event } = known.get(info.event.id) ?? {};
    const room = info.view.type.startsWith('timeGrid') && !info.event.allDay && !info.isShort ? 'block' : 'line';
    return event && <EventCard event={event} times={info.isMirror ? draggedTimes(info, zone) : timesOf(event, zone)} room={room} />;
  };
  return (
    <div ref={root} className="grid" onKeyDown={onKeyDown} onFocus={({ target }) => forget(target)}>
      <span ref={probe} className="rem" aria-hidden="true" />
      <p id="how-to-move" hidden>Enter opens the event. Alt with the arrow keys moves it; Alt, Shift and up or down change its end.</p>
      <FullCalendar
        ref={library}
        plugins={plugins}
        {...gridLook}
        {...handlers}
        initialView={view}
        initialDate={date}
        events={inputs}
        eventContent={content}
        timeZone={zone}
        locale="en-gb"
        firstDay={1}
        headerToolbar={false}
        height="100%"
        nowIndicator
        navLinks
        selectable
        editable={false}
        selectMinDistance={6}
        scrollTime="07:30:00"
        scrollTimeReset={false}
        slotDuration="00:30:00"
        snapDuration="00:15:00"
        slotHeaderFormat={clockFormat}
        eventTimeFormat={clockFormat}
        dayHeaders={shown.view !== 'day'}
        dayHeaderContent={headOf}
        dayHeaderFormat={shown.view === 'month' ? { weekday: 'short' } : { weekday: 'short', day: 'numeric' }}
        allDayText="all day"
        popoverCloseContent={() => <Icon name="close" />}
        slotEventOverlap={false}
        eventMinHeight={1.6 * rem}
        eventShortHeight={2.6 * rem}
        eventMaxStack={shown.view === 'day' && !isPhone ? 8 : 3}
        dayMaxEvents={shown.view === 'month' ? true : 4}
        fixedWeekCount={false}
      />
    </div>
  );
}

function inputOf({ event, color, editable }: GridEvent, zone: string): EventInput[] {
  const times = timesOf(event, zone);
  if (!times) return [];
  const { start, end } = event;
  // What has no length has one for the eye.
  const isMoment = !times.allDay && start?.dateTime === end?.dateTime;
  return [{
    id: event.nodeId, title: titleOf(event), allDay: times.allDay, color, editable, status: event.status,
    start: start?.date ?? start?.dateTime ?? undefined,
    end: isMoment ? new Date(Date.parse(end?.dateTime ?? '') + 60_000) : (end?.date ?? end?.dateTime ?? undefined),
    // What a card shows: the library draws it again where this is another one.
    shown: event,
  }];
}

/** The library opens the rest of a day where the day begins, also at the bottom of the window. */
function keepInWindow(): void {
  const rest = document.querySelector<HTMLElement>('.more-window');
  const below = rest ? rest.getBoundingClientRect().bottom + 8 - document.documentElement.clientHeight : 0;
  if (rest && below > 0) rest.style.translate = `0 ${-below}px`;
}

const dateAt = (moment: Date, zone: string): Temporal.PlainDate => zonedOf(moment.toISOString(), zone).toPlainDate();

function headOf({ text, weekdayText, dayNumberText, inPopover, view: { type } }: DayHeaderInfo) {
  return inPopover || type === 'dayGridMonth' ? text : <>{weekdayText} <b>{dayNumberText}</b></>;
}

const emptyAt = (allDay: boolean, text: string, zone: string): Times => {
  const start = allDay ? Temporal.PlainDate.from(text).toPlainDateTime() : zonedOf(text, zone);
  return { allDay, start, end: start.add(allDay ? { days: 1 } : { hours: 1 }) };
};

/** A move keeps the length, save between the all-day row and the hours: a day there, an hour here. */
function dropped(before: Times, allDay: boolean, start: string, zone: string): Times {
  const empty = emptyAt(allDay, start, zone);
  return before.allDay === allDay ? movedTo(before, empty.start, zone) : empty;
}

function draggedTimes({ event: { allDay, startStr, endStr } }: EventDisplayInfo, zone: string): Times {
  const empty = emptyAt(allDay, startStr, zone);
  if (!endStr) return empty;
  return { ...empty, end: allDay ? Temporal.PlainDate.from(endStr).toPlainDateTime() : zonedOf(endStr, zone) };
}
