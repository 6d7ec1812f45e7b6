import FullCalendar, {
  type CalendarOptions,
  type CalendarRef,
  type EventDisplayInfo,
} from '@fullcalendar/react';
import dayGridPlugin from '@fullcalendar/react/daygrid';
import interactionPlugin from '@fullcalendar/react/interaction';
import listPlugin from '@fullcalendar/react/list';
import timeGridPlugin from '@fullcalendar/react/timegrid';
import { memo, useLayoutEffect, useMemo, useRef, type ComponentProps, type KeyboardEvent } from 'react';
import type { Temporal } from 'temporal-polyfill';
import { EventCard } from './event-card.tsx';
import { dateAt, dropped, inputsOf, timesAt, type GridEvent } from './grid-events.ts';
import { gridLook, keepInWindow } from './grid-look.tsx';
import { shifted, shiftOf } from './shift.ts';
import type { Shown, View } from './shown.ts';
import { useFocusAlong, type PressedKey } from './use-focus-along.ts';
import { usePress } from './use-press.ts';
import { useRem } from './use-rem.ts';
import { daysOnTablet, type Width } from './use-shown.ts';
import { dayName, timesOf, type CalendarEvent, type Times } from './week.ts';

interface GridProps {
  readonly shown: Shown;
  readonly zone: string;
  readonly width: Width;
  readonly events: readonly GridEvent[];
  readonly onOpen: (event: CalendarEvent) => void;
  readonly onMove: (event: CalendarEvent, times: Times) => void;
  readonly onEmpty: (times: Times) => void;
  readonly onDay: (date: Temporal.PlainDate) => void;
}

const plugins = [timeGridPlugin, dayGridPlugin, listPlugin, interactionPlugin];
const moreViews = { days: { type: 'timeGrid', duration: { days: daysOnTablet } } };
/** Seven columns of hours do not fit a tablet, which shows three; on a phone a week is a list. */
const viewNames = (width: Width): Readonly<Record<View, string>> => ({
  day: 'timeGridDay',
  week: { phone: 'listWeek', tablet: 'days', desktop: 'timeGridWeek' }[width],
  month: 'dayGridMonth',
});
/** The most events beside each other in a column, so that each has room for a word. */
const maxStack = (view: View, width: Width): number =>
  view === 'day' ? { phone: 3, tablet: 5, desktop: 8 }[width] : 2;

/** The library as it was while it is held: of a drag during which anything of it changes it forgets the end. */
const Library = memo(
  ({ isHeld: _isHeld, ...options }: ComponentProps<typeof FullCalendar> & { readonly isHeld: boolean }) => (
    <FullCalendar {...options} />
  ),
  (_before, { isHeld }) => isHeld,
);

/** The views of the library, and what it lacks: moves by keys, a way out of a drag, a focus that goes along. */
export function Grid({ shown, zone, width, events, onOpen, onMove, onEmpty, onDay }: GridProps) {
  const root = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const library = useRef<CalendarRef>(null);
  const rem = useRem(probe);
  const { isHeld, isCancelled, onMoving } = usePress(root);
  // A click that closes the rest of a day does nothing else.
  const wasRestOpen = useRef(false);
  const view = viewNames(width)[shown.view];
  const date = shown.date.toString();
  useLayoutEffect(() => library.current?.getApi().changeView(view, date), [view, date]);

  const known = useMemo(() => new Map(events.map((one) => [one.event.nodeId, one])), [events]);
  const inputs = useMemo(() => events.flatMap((one, place) => inputsOf(one, place, zone)), [events, zone]);

  const onKey = (id: string, key: PressedKey): void => {
    const { event, editable } = known.get(id) ?? {};
    const times = event && timesOf(event, zone);
    const shift = times && shiftOf(key, times.allDay);
    if (!shift) return;
    key.preventDefault();
    if (!editable) return;
    follow(event.nodeId);
    onMove(event, shifted(times, shift, zone));
  };
  const { follow, onFocus } = useFocusAlong(root, onKey);
  const onKeyDown = (key: KeyboardEvent): void => {
    const element =
      key.target instanceof Element ? key.target.closest<HTMLElement>('[data-event]') : undefined;
    onKey(element?.dataset.event ?? '', key);
  };
  /** Only what is stored, or is about to be, is shown: the library's own idea of a drop is taken back. */
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
    eventDragStart: () => onMoving(true),
    eventResizeStart: () => onMoving(true),
    eventDragStop: () => onMoving(false),
    eventResizeStop: () => onMoving(false),
    eventDrop: ({ event, revert }) => drop(event.id, revert, (before) => dropped(before, event, zone)),
    eventResize: ({ event, revert }) =>
      drop(event.id, revert, (before) => ({ ...before, end: timesAt(event, zone).end })),
    dateClick: ({ allDay, dateStr }) => {
      if (!wasRestOpen.current && !isCancelled()) onEmpty(timesAt({ allDay, startStr: dateStr }, zone));
    },
    select: (span) => {
      library.current?.getApi().unselect();
      if (!isCancelled()) onEmpty(timesAt(span, zone));
    },
    navLinkDayClick: (day) => onDay(dateAt(day, zone)),
    moreLinkClick: () => {
      requestAnimationFrame(keepInWindow);
      return 'popover';
    },
    // The library's own name for it lacks the day of the week, which is seen.
    dayHeaderDidMount: ({ el, date: day, text }) =>
      el.querySelector('[role=link]')?.setAttribute('aria-label', `${text}, ${dayName(dateAt(day, zone))}`),
    eventDidMount: ({ el, event }) => {
      el.dataset.event = event.id;
      el.setAttribute('aria-describedby', 'how-to-move');
    },
  };
  const content = (info: EventDisplayInfo) => {
    const { event } = known.get(info.event.id) ?? {};
    const room =
      /^(timeGrid|days)/.test(info.view.type) && !info.event.allDay && !info.isShort ? 'block' : 'line';
    return (
      event && (
        <EventCard
          event={event}
          times={info.isMirror ? timesAt(info.event, zone) : timesOf(event, zone)}
          room={room}
        />
      )
    );
  };
  return (
    <div
      ref={root}
      className="grid"
      {...{ onKeyDown, onFocus }}
      onPointerDownCapture={() => {
        wasRestOpen.current = document.querySelector('.more-window') !== null;
      }}
    >
      <span ref={probe} className="rem" aria-hidden="true" />
      <p id="how-to-move" hidden>
        Enter opens the event. Alt with the arrow keys moves it; Alt, Shift and up or down change its end.
      </p>
      <Library
        isHeld={isHeld}
        ref={library}
        plugins={plugins}
        {...gridLook}
        {...handlers}
        views={moreViews}
        initialView={view}
        initialDate={date}
        events={inputs}
        eventContent={content}
        timeZone={zone}
        dayHeaders={shown.view !== 'day'}
        dayHeaderFormat={shown.view === 'month' ? { weekday: 'short' } : { weekday: 'short', day: 'numeric' }}
        eventMinHeight={1.6 * rem}
        eventShortHeight={2.6 * rem}
        eventMaxStack={maxStack(shown.view, width)}
        dayMaxEvents={shown.view === 'month' ? true : 4}
      />
    </div>
  );
}
