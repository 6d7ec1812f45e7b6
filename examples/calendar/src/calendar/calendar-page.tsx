import { useRef, useState } from 'react';
import { Temporal } from 'temporal-polyfill';
import type { Calendar } from '../calendars/calendar.ts';
import { CalendarList } from '../calendars/calendar-list.tsx';
import type { Calendars } from '../calendars/use-calendars.ts';
import { findFreeHour } from '../editor/free-hour.ts';
import { useScopeDialog } from '../editor/scope-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { Grid } from './grid.tsx';
import { MiniMonth } from './mini-month.tsx';
import { lookAheadDays, NextEvent } from './next-event.tsx';
import { Search } from './search.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { Toolbar } from './toolbar.tsx';
import { useDeletion } from './use-deletion.ts';
import { useEventDialogs } from './use-event-dialogs.tsx';
import { useFileImport } from './use-file-import.tsx';
import { useMove } from './use-move.ts';
import { useGridEvents, usePageEvents } from './use-page-events.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { useStoredSwitch } from './use-stored-switch.ts';
import { tabletWeekDays, useDeviceWidth, useViewState } from './use-view-state.ts';
import {
  computeAdjacentView,
  isInRange,
  isSupportedDate,
  computeVisibleRange,
  type View,
} from './view-state.ts';
import { todayIn, toZonedTime, type CalendarEvent, type Times } from './event-times.ts';

interface PageProps {
  readonly calendars: Calendars;
  /** The calendar of new events. Its time zone is the page's. */
  readonly primaryCalendar: Calendar;
}

/** Earliest start of a new event if the view does not include today. */
const workdayStart = '09:00';

/** Day, week or month of all visible calendars, beside the list of calendars. */
export function CalendarPage({ calendars, primaryCalendar }: PageProps) {
  const zone = primaryCalendar.timeZone;
  const width = useDeviceWidth();
  const weekDays = width === 'tablet' ? tabletWeekDays : 7;
  const [isSidebarOpen, setSidebarOpen] = useStoredSwitch('sidebar-open', true);
  const [viewState, setViewState] = useViewState(zone);
  const range = computeVisibleRange(viewState, zone, weekDays);
  // A day view reads further days, so that an empty day can name the next event.
  const isDayView = viewState.view === 'day';
  const loadedRange = isDayView ? { ...range, end: range.start.add({ days: lookAheadDays }) } : range;
  const { events, isLoading, live, sync } = usePageEvents(calendars, loadedRange);
  const { openQuickView, openNewEvent, openConflict, dialogs } = useEventDialogs({
    calendars,
    events,
    zone,
    onChanged: sync,
    onSaved: (times) => followTimes(times),
  });
  const { askScope, dialog: scopeDialog } = useScopeDialog();
  const { move, plannedEvents } = useMove({
    events,
    zone,
    askScope,
    onMoved: ({ calendarId }) => sync(calendarId),
    onConflict: openConflict,
  });
  const deleteEvent = useDeletion(askScope, ({ calendarId }) => void sync(calendarId));
  const fileImport = useFileImport(calendars, sync);
  const gridEvents = useGridEvents(events, plannedEvents, calendars);

  const showDate = (date: Temporal.PlainDate): void => setViewState({ ...viewState, date });
  const openDayView = (date: Temporal.PlainDate): void => setViewState({ view: 'day', date });
  /** Shows the day of an event that leaves the visible days. */
  const followTimes = ({ start }: Times): void => {
    const date = toZonedTime(start, zone).withTimeZone(zone).toPlainDate();
    if (!isInRange(date, range)) showDate(date);
  };
  const moveAndFollow = (event: CalendarEvent, times: Times): void => {
    move(event, times);
    followTimes(times);
  };
  const openNewEventDialog = (times: Times): void => openNewEvent(primaryCalendar.id, times);
  const createInFreeHour = (): void => {
    const earliestStart = isInRange(todayIn(zone), range)
      ? Temporal.Now.zonedDateTimeISO(zone)
      : viewState.date.toZonedDateTime({ timeZone: zone, plainTime: workdayStart });
    openNewEventDialog({ allDay: false, ...findFreeHour(events, earliestStart) });
  };
  const showView = (view: View): void => setViewState({ ...viewState, view });
  const showAdjacentRange = (direction: -1 | 1): void => {
    const next = computeAdjacentView(viewState, direction, weekDays);
    if (isSupportedDate(next.date)) setViewState(next);
  };
  const searchField = useRef<HTMLInputElement>(null);
  const [hasShortcuts, setHasShortcuts] = useStoredSwitch('keyboard-shortcuts', true);
  const [isHelpOpen, setHelpOpen] = useState(false);
  useShortcuts(hasShortcuts, {
    c: createInFreeHour,
    t: () => showDate(todayIn(zone)),
    d: () => showView('day'),
    w: () => showView('week'),
    m: () => showView('month'),
    j: () => showAdjacentRange(1),
    k: () => showAdjacentRange(-1),
    '/': () => searchField.current?.focus(),
    '?': () => setHelpOpen(true),
  });
  return (
    <main className="calendar" {...fileImport.dropHandlers}>
      <div className={isSidebarOpen ? 'calendar-page' : 'calendar-page without-side'}>
        <div className="calendar-side">
          <Button className="primary" onClick={createInFreeHour} icon="plus">
            New event
          </Button>
          <MiniMonth date={viewState.date} range={range} today={todayIn(zone)} onSelect={showDate} />
          <CalendarList calendars={calendars} />
        </div>
        <div className="calendar-body">
          <Toolbar
            {...{ viewState, zone, weekDays, live, isSidebarOpen }}
            onNavigate={setViewState}
            onToggleSidebar={() => setSidebarOpen(!isSidebarOpen)}
          >
            <Search
              calendars={calendars}
              date={viewState.date}
              zone={zone}
              inputRef={searchField}
              onOpen={(event, date) => {
                showDate(date);
                openQuickView(event);
              }}
            />
          </Toolbar>
          {isDayView && !isLoading && (
            <NextEvent
              events={gridEvents.map(({ event }) => event)}
              date={viewState.date}
              zone={zone}
              onShowDay={openDayView}
            />
          )}
          <div className="card" aria-busy={isLoading}>
            <Grid
              {...{ viewState, zone, width }}
              events={gridEvents}
              onOpen={openQuickView}
              onMove={moveAndFollow}
              onCreate={openNewEventDialog}
              onDelete={hasShortcuts ? (event) => void deleteEvent(event) : undefined}
              onShowDay={openDayView}
            />
          </div>
          <p className="quiet foot">
            <span>
              Drag an event, or focus it and press Alt with an arrow key. Click an empty hour, or drag over
              several, for a new event.{' '}
            </span>
            Times are in {zone}.{' '}
            <Button className="link" onClick={() => setHelpOpen(true)}>
              Keyboard shortcuts
            </Button>
            {' · '}
            {fileImport.button}
          </p>
        </div>
      </div>
      {dialogs}
      {scopeDialog}
      {fileImport.dialog}
      {isHelpOpen && (
        <ShortcutsDialog isOn={hasShortcuts} onToggle={setHasShortcuts} onClose={() => setHelpOpen(false)} />
      )}
    </main>
  );
}
