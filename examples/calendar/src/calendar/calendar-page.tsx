import { useEffect, useMemo, useState } from 'react';
import { Temporal } from 'temporal-polyfill';
import { dismiss, notices, notify } from '../api/notices.ts';
import { mayWrite, type Calendar } from '../calendars/calendar.ts';
import { CalendarList } from '../calendars/calendar-list.tsx';
import type { useCalendars } from '../calendars/use-calendars.ts';
import { draftAt, draftOf, type Draft } from '../editor/draft.ts';
import { Editor } from '../editor/editor.tsx';
import { nextFreeHour } from '../editor/free-hour.ts';
import { useScope } from '../editor/scope-dialog.tsx';
import { forgetUnsaved, readUnsaved } from '../editor/unsaved.ts';
import type { Editing } from '../editor/use-editor.ts';
import { Icon } from '../ui/icon.tsx';
import { Grid } from './grid.tsx';
import { daysAhead, NextEvent } from './next-event.tsx';
import { QuickView } from './quick-view.tsx';
import { isWithin, spanOf } from './shown.ts';
import { Toolbar } from './toolbar.tsx';
import { useEvents } from './use-events.ts';
import { useMove } from './use-move.ts';
import { useRemembered } from './use-remembered.ts';
import { daysOnTablet, useShown, useWidth } from './use-shown.ts';
import { todayIn, type CalendarEvent, type Times } from './week.ts';

const staleWords =
  'The events cannot be read just now: what is shown may be old. They are read again by themselves.';

interface PageProps {
  readonly calendars: ReturnType<typeof useCalendars>;
  /** The calendar of new events; its time zone is the page's. */
  readonly primary: Calendar;
}

/** Day, week or month of all calendars that are shown, and the list of them. */
export function CalendarPage({ calendars, primary }: PageProps) {
  const zone = primary.timeZone;
  const width = useWidth();
  const weekDays = width === 'tablet' ? daysOnTablet : 7;
  const [isSideOpen, setSideOpen] = useRemembered('sidebar-open', true);
  const [shown, show] = useShown(zone);
  const [editing, setEditing] = useState<Editing | undefined>(readUnsaved);
  const [viewing, setViewing] = useState<CalendarEvent>();
  const [announcement, announce] = useState('');
  const span = spanOf(shown, zone, weekDays);
  // Beyond a day, so that an empty one names the next event.
  const readSpan = shown.view === 'day' ? { ...span, to: span.from.add({ days: daysAhead }) } : span;
  const shownIds = calendars.shown.map(({ id }) => id);
  const byId = useMemo(
    () => new Map(calendars.shown.map((calendar) => [calendar.id, calendar])),
    [calendars.calendars, shownIds.join('\n')],
  );
  const { events, loading, stale, live, sync } = useEvents(shownIds, readSpan, (id, message) => {
    notify('warning', `“${byId.get(id)?.summary ?? id}” is not shown: ${message}`, {
      label: 'Try again',
      run: () => void sync(id),
    });
    void calendars.refetch();
  });
  useEffect(() => {
    if (!stale) return;
    notify('error', staleWords);
    return () =>
      notices
        .get()
        .filter(({ text }) => text === staleWords)
        .forEach(({ id }) => dismiss(id));
  }, [stale]);
  const { ask, dialog } = useScope();
  const { move, planned } = useMove({
    zone,
    ask,
    onMoved: ({ calendarId }, words) => {
      announce(words);
      return sync(calendarId);
    },
    onConflict: (event, times) =>
      setEditing({
        calendarId: event.calendarId,
        event,
        draft: movedDraft(event, times, zone),
        conflict: true,
      }),
  });
  const inGrid = useMemo(
    () =>
      withPendingTimes(events, planned).flatMap((event) => {
        const calendar = byId.get(event.calendarId);
        if (!calendar) return [];
        const seen = calendar.accessRole === 'freeBusyReader' ? { ...event, summary: 'Busy' } : event;
        return [{ event: seen, color: calendars.colorOf(calendar), editable: mayWrite(calendar) }];
      }),
    [events, planned, byId],
  );

  const knownGuests = useMemo(() => {
    const guests = events.flatMap(({ attendees }) => attendees ?? []);
    return [...new Set(guests.flatMap(({ email, self }) => (email && !self ? [email] : [])))].sort();
  }, [events]);
  const moveAndFollow = (event: CalendarEvent, times: Times): void => {
    move(event, times);
    // An event that moves out of the visible range stays visible: the page shows its new date, and the focus stays on it.
    const date = times.start.toPlainDate();
    if (!isWithin(date, span)) show({ ...shown, date });
  };
  const create = (times: Times): void =>
    setEditing({ calendarId: primary.id, event: undefined, draft: draftAt(times) });
  const showDay = (date: Temporal.PlainDate): void => show({ view: 'day', date });
  const viewed = viewing && byId.get(viewing.calendarId);
  const edit = (next: Editing): void => {
    setViewing(undefined);
    setEditing(next);
  };
  const newEvent = (): void => {
    const today = todayIn(zone);
    const from = isWithin(today, span)
      ? Temporal.Now.zonedDateTimeISO(zone)
      : shown.date.toZonedDateTime({ timeZone: zone, plainTime: '09:00' });
    create({ allDay: false, ...nextFreeHour(events, from) });
  };
  return (
    <main className="calendar">
      <div className={isSideOpen ? 'calendar-page' : 'calendar-page without-side'}>
        <div className="calendar-side">
          <button type="button" className="primary" onClick={newEvent}>
            <Icon name="plus" />
            New event
          </button>
          <CalendarList calendars={calendars} />
        </div>
        <div className="calendar-body">
          <Toolbar
            {...{ shown, zone, weekDays, live, isSideOpen }}
            onShow={show}
            onSide={() => setSideOpen(!isSideOpen)}
          />
          <p className="hidden" role="status">
            {announcement}
          </p>
          {shown.view === 'day' && !loading && (
            <NextEvent
              events={inGrid.map(({ event }) => event)}
              date={shown.date}
              zone={zone}
              onDay={showDay}
            />
          )}
          <div className="card" aria-busy={loading}>
            <Grid
              {...{ shown, zone, width }}
              events={inGrid}
              onOpen={setViewing}
              onMove={moveAndFollow}
              onEmpty={create}
              onDay={showDay}
            />
          </div>
          <p className="quiet foot">
            <span>
              Drag an event, or focus it and press Alt with an arrow key. Click an empty hour, or drag over
              several, for a new event.{' '}
            </span>
            Times are those of {zone}.
          </p>
        </div>
      </div>
      {viewing && viewed && (
        <QuickView
          event={viewing}
          calendar={viewed}
          color={calendars.colorOf(viewed)}
          zone={zone}
          onClose={() => setViewing(undefined)}
          onChanged={() => void sync(viewed.id)}
          onEdit={(event) => edit({ calendarId: viewed.id, event, draft: draftOf(event, zone) })}
          onDuplicate={
            viewed.accessRole === 'freeBusyReader'
              ? undefined
              : (draft) => edit({ calendarId: viewed.id, event: undefined, draft })
          }
        />
      )}
      {editing && (
        <Editor
          editing={editing}
          zone={zone}
          knownGuests={knownGuests}
          onClose={() => {
            forgetUnsaved();
            setEditing(undefined);
          }}
          onChanged={() => void sync(editing.calendarId)}
        />
      )}
      {dialog}
    </main>
  );
}

/** Returns events with the times of pending moves. */
function withPendingTimes(
  events: readonly CalendarEvent[],
  planned: ReadonlyMap<string, CalendarEvent>,
): readonly CalendarEvent[] {
  const known = new Set(events.map(({ nodeId }) => nodeId));
  const here = events.map((event) => {
    const plan = planned.get(event.nodeId);
    return plan ? { ...event, start: plan.start, end: plan.end } : event;
  });
  return [...here, ...[...planned.values()].filter(({ nodeId }) => !known.has(nodeId))];
}

function movedDraft(event: CalendarEvent, times: Times, zone: string): Draft {
  const { allDay, startDate, startTime, endDate, endTime } = draftAt(times);
  return { ...draftOf(event, zone), allDay, startDate, startTime, endDate, endTime };
}
