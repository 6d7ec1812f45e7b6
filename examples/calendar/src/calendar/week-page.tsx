import { useEffect, useState } from 'react';
import type { Temporal } from 'temporal-polyfill';
import { CalendarList } from '../calendars/calendar-list.tsx';
import { useCalendars } from '../calendars/use-calendars.ts';
import { draftAt, draftOf, type Draft } from '../editor/draft.ts';
import { Editor } from '../editor/editor.tsx';
import type { Editing } from '../editor/use-editor.ts';
import { Icon } from '../ui/icon.tsx';
import { LiveBadge } from '../ui/live-badge.tsx';
import { useMove } from './use-move.ts';
import { useWeek } from './use-week.ts';
import { WeekGrid } from './week-grid.tsx';
import { mondayOf, todayIn, weekTitle, type CalendarEvent, type Times } from './week.ts';

interface WeekPageProps {
  readonly calendarId: string;
  readonly zone: string;
  readonly monday: Temporal.PlainDate;
}

export function WeekPage({ calendarId, zone, monday: first }: WeekPageProps) {
  const [monday, setMonday] = useState(first);
  const [editing, setEditing] = useState<Editing>();
  const [said, say] = useState('');
  const week = { monday, zone };
  const calendars = useCalendars();
  const at = (index: number): string => calendars.shown[index]?.id ?? calendarId;
  const weeks = [useWeek(at(0), week), useWeek(at(1), week), useWeek(at(2), week), useWeek(at(3), week)] as const;
  const { loading, problem, live } = weeks[0];
  const events = calendars.shown.length === 0 ? [] : [...new Map(weeks.flatMap((one) => one.events).map((event) => [event.nodeId, event])).values()];
  const sync = () => Promise.all(weeks.map((one) => one.sync()));
  const key = monday.toString();
  useEffect(() => history.replaceState(null, '', `?week=${key}${location.hash}`), [key]);

  const move = useMove({
    zone,
    onMoved: (words) => {
      say(words);
      void sync();
    },
    onConflict: (event, times) => setEditing({ calendarId, event, draft: movedDraft(event, times, zone), conflict: true }),
  });
  const create = (start: Temporal.PlainDateTime): void => {
    setEditing({ calendarId, event: undefined, draft: draftAt({ allDay: false, start, end: start.add({ hours: 1 }) }) });
  };
  const newEvent = (): void => {
    const today = todayIn(zone);
    create((mondayOf(today).equals(monday) ? today : monday).toPlainDateTime({ hour: 10 }));
  };
  return (
    <main>
      <div className="toolbar">
        <h2 aria-live="polite">{weekTitle(week)}</h2>
        <div className="buttons together">
          <button type="button" aria-label="Week before" onClick={() => setMonday(monday.subtract({ weeks: 1 }))}><Icon name="left" /></button>
          <button type="button" onClick={() => setMonday(mondayOf(todayIn(zone)))}>Today</button>
          <button type="button" aria-label="Week after" onClick={() => setMonday(monday.add({ weeks: 1 }))}><Icon name="right" /></button>
        </div>
        <LiveBadge state={live} />
        <span className="space" />
        <span className="quiet">{zone}</span>
        <button type="button" className="primary" onClick={newEvent}><Icon name="plus" />New event</button>
      </div>
      <p className="hidden" role="status">{said}</p>
      {problem && <p className="remark" role="alert">The week cannot be read: {problem}</p>}
      <div className="beside">
      <CalendarList calendars={calendars} />
      <div className="card" aria-busy={loading}>
        <WeekGrid
          week={week}
          events={events}
          onOpen={(event) => setEditing({ calendarId: event.calendarId, event, draft: draftOf(event, zone) })}
          onShift={(event, times) => void move(event, times)}
          onEmpty={create}
        />
      </div>
      </div>
      <p className="quiet foot">Drag an event, or focus it and press Alt with an arrow key. Double-click an empty hour for a new one.</p>
      {editing && <Editor editing={editing} zone={zone} onClose={() => setEditing(undefined)} onChanged={() => void sync()} />}
    </main>
  );
}

function movedDraft(event: CalendarEvent, times: Times, zone: string): Draft {
  const { startDate, startTime, endDate, endTime } = draftAt(times);
  return { ...draftOf(event, zone), startDate, startTime, endDate, endTime };
}
