import FullCalendar, {
  type CalendarOptions,
  type CalendarRef,
  type EventDisplayInfo,
} from '@fullcalendar/react';
import dayGridPlugin from '@fullcalendar/react/daygrid';
import interactionPlugin from '@fullcalendar/react/interaction';
import listPlugin from '@fullcalendar/react/list';
import timeGridPlugin from '@fullcalendar/react/timegrid';
import { memo, useLayoutEffect, useMemo, useRef, type ComponentProps } from 'react';
import type { Temporal } from 'temporal-polyfill';
import { EventCard } from './event-card.tsx';
import {
  fromLibraryTimes,
  timesAfterDrop,
  toLibraryEvents,
  toPlainDate,
  type GridEvent,
} from './grid-events.ts';
import { gridOptions, keepPopoverInWindow } from './grid-options.tsx';
import { useEventKeys } from './use-event-keys.ts';
import { usePointerPress } from './use-pointer-press.ts';
import { useRem } from './use-rem.ts';
import { tabletWeekDays, type DeviceWidth } from './use-view-state.ts';
import type { View, ViewState } from './view-state.ts';
import { formatDayName, timesOf, type CalendarEvent, type Times } from './event-times.ts';

interface GridProps {
  readonly viewState: ViewState;
  readonly zone: string;
  readonly width: DeviceWidth;
  readonly events: readonly GridEvent[];
  readonly onOpen: (event: CalendarEvent) => void;
  readonly onMove: (event: CalendarEvent, times: Times) => void;
  readonly onCreate: (times: Times) => void;
  /** Undefined turns the Delete key off. */
  readonly onDelete: ((event: CalendarEvent) => void) | undefined;
  readonly onShowDay: (date: Temporal.PlainDate) => void;
}

/** Minimum height of an event, and the height below which an event has one line. */
const [minEventRem, shortEventRem] = [1.6, 2.6];
const maxAllDayRows = 4;

const plugins = [timeGridPlugin, dayGridPlugin, listPlugin, interactionPlugin];
const customViews = { tabletWeek: { type: 'timeGrid', duration: { days: tabletWeekDays } } };
/** The library's view for each view of the page. A week has three columns on a tablet and is a list on a phone. */
const libraryViewsFor = (width: DeviceWidth): Readonly<Record<View, string>> => ({
  day: 'timeGridDay',
  week: { phone: 'listWeek', tablet: 'tabletWeek', desktop: 'timeGridWeek' }[width],
  month: 'dayGridMonth',
});
/** Maximum number of events side by side in a column, so that each has space for a word. */
const maxStackedEventsFor = (view: View, width: DeviceWidth): number =>
  view === 'day' ? { phone: 3, tablet: 5, desktop: 8 }[width] : 2;

interface LibraryProps extends ComponentProps<typeof FullCalendar> {
  readonly isPressed: boolean;
}

/** FullCalendar, the library of the grid. Never renders during a press: it would miss the end of a drag. */
const Library = memo(
  ({ isPressed: _isPressed, ...options }: LibraryProps) => <FullCalendar {...options} />,
  (_before, { isPressed }) => isPressed,
);

/** The library's views. The page adds moves by keyboard, Escape during a drag, and a focus that follows moved events. */
export function Grid(props: GridProps) {
  const { viewState, zone, width, events, onOpen, onMove, onCreate, onDelete, onShowDay } = props;
  const root = useRef<HTMLDivElement>(null);
  const remRuler = useRef<HTMLSpanElement>(null);
  const library = useRef<CalendarRef>(null);
  const remPixels = useRem(remRuler);
  const { isPressed, isCancelled, setDragging } = usePointerPress(root);
  // A click that closes the popover of further events does nothing else.
  const wasPopoverOpen = useRef(false);
  const libraryView = libraryViewsFor(width)[viewState.view];
  const date = viewState.date.toString();
  useLayoutEffect(() => library.current?.getApi().changeView(libraryView, date), [libraryView, date]);

  const eventsById = useMemo(
    () => new Map(events.map((gridEvent) => [gridEvent.event.nodeId, gridEvent])),
    [events],
  );
  const libraryEvents = useMemo(
    () => events.flatMap((gridEvent) => toLibraryEvents(gridEvent, zone)),
    [events, zone],
  );

  const keyHandlers = useEventKeys(root, { eventsById, zone, onMove, onDelete });
  /** Reverts the library's own change of an event, because the page shows stored and pending times only. */
  const moveByDrop = (id: string, revert: () => void, changeTimes: (storedTimes: Times) => Times): void => {
    const event = eventsById.get(id)?.event;
    const times = event && timesOf(event, zone);
    revert();
    if (times && !isCancelled()) onMove(event, changeTimes(times));
  };
  const handlers: CalendarOptions = {
    eventClick: ({ event: { id }, jsEvent }) => {
      jsEvent.preventDefault();
      const { event } = eventsById.get(id) ?? {};
      if (event && !isCancelled()) onOpen(event);
    },
    eventDragStart: () => setDragging(true),
    eventResizeStart: () => setDragging(true),
    eventDragStop: () => setDragging(false),
    eventResizeStop: () => setDragging(false),
    eventDrop: ({ event, revert }) =>
      moveByDrop(event.id, revert, (storedTimes) => timesAfterDrop(storedTimes, event, zone)),
    eventResize: ({ event, revert }) =>
      moveByDrop(event.id, revert, (storedTimes) => ({
        ...storedTimes,
        end: fromLibraryTimes(event, zone).end,
      })),
    dateClick: ({ allDay, dateStr }) => {
      if (!wasPopoverOpen.current && !isCancelled())
        onCreate(fromLibraryTimes({ allDay, startStr: dateStr }, zone));
    },
    select: (selection) => {
      library.current?.getApi().unselect();
      // A dialog that opens while the pointer is released would close again: the browser takes the release
      // for a click outside.
      if (!isCancelled()) setTimeout(() => onCreate(fromLibraryTimes(selection, zone)));
    },
    navLinkDayClick: (day) => onShowDay(toPlainDate(day, zone)),
    moreLinkClick: () => {
      requestAnimationFrame(keepPopoverInWindow);
      return 'popover';
    },
    // The library's own label lacks the weekday, which the visible text has.
    dayHeaderDidMount: ({ el, date: day, text }) =>
      el
        .querySelector('[role=link]')
        ?.setAttribute('aria-label', `${text}, ${formatDayName(toPlainDate(day, zone))}`),
    eventDidMount: ({ el, event }) => {
      el.dataset.event = event.id;
      el.setAttribute('aria-describedby', 'how-to-move');
    },
  };
  const renderEvent = (info: EventDisplayInfo) => {
    const { event } = eventsById.get(info.event.id) ?? {};
    const layout =
      /^(timeGrid|tabletWeek)/.test(info.view.type) && !info.event.allDay && !info.isShort ? 'block' : 'line';
    return (
      event && (
        <EventCard
          event={event}
          times={info.isMirror ? fromLibraryTimes(info.event, zone) : timesOf(event, zone)}
          layout={layout}
          zone={zone}
        />
      )
    );
  };
  return (
    <div
      ref={root}
      className="grid"
      role="group"
      aria-label="Events"
      tabIndex={-1}
      {...keyHandlers}
      onPointerDownCapture={() => {
        wasPopoverOpen.current = document.querySelector('.more-window') !== null;
      }}
    >
      <span ref={remRuler} className="rem" aria-hidden="true" />
      <p id="how-to-move" hidden>
        Enter opens the event. Alt with the arrow keys moves it; Alt, Shift and up or down change its end.
        {onDelete && ' Delete deletes it.'}
      </p>
      <Library
        isPressed={isPressed}
        ref={library}
        plugins={plugins}
        {...gridOptions}
        {...handlers}
        views={customViews}
        initialView={libraryView}
        initialDate={date}
        events={libraryEvents}
        eventContent={renderEvent}
        timeZone={zone}
        dayHeaders={viewState.view !== 'day'}
        dayHeaderFormat={
          viewState.view === 'month' ? { weekday: 'short' } : { weekday: 'short', day: 'numeric' }
        }
        eventMinHeight={minEventRem * remPixels}
        eventShortHeight={shortEventRem * remPixels}
        eventMaxStack={maxStackedEventsFor(viewState.view, width)}
        dayMaxEvents={viewState.view === 'month' ? true : maxAllDayRows}
      />
    </div>
  );
}
