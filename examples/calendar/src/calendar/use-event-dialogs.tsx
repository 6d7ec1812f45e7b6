import { useMemo, useState } from 'react';
import type { Calendars } from '../calendars/use-calendars.ts';
import { createDraft, draftOf } from '../editor/draft.ts';
import { Editor } from '../editor/editor.tsx';
import { forgetUnsavedInput, readUnsavedInput } from '../editor/unsaved-input.ts';
import type { Editing } from '../editor/use-editor.ts';
import { QuickView } from './quick-view.tsx';
import type { CalendarEvent, Times } from './event-times.ts';

interface EventDialogsOptions {
  readonly calendars: Calendars;
  /** Loaded events, from which guests are suggested. */
  readonly events: readonly CalendarEvent[];
  readonly zone: string;
  readonly onChanged: (calendarId: string) => Promise<void>;
  /** Called with the times of a created or changed event. */
  readonly onSaved: (times: Times) => void;
}

/** The quick view and the form of an event. One of them is open at a time. */
export function useEventDialogs(options: EventDialogsOptions) {
  const { calendars, events, zone, onChanged, onSaved } = options;
  const [editing, setEditing] = useState<Editing | undefined>(readUnsavedInput);
  const [viewedEvent, setViewedEvent] = useState<CalendarEvent>();
  const knownGuests = useKnownGuests(events);
  const viewedCalendar = calendars.visibleCalendars.find(({ id }) => id === viewedEvent?.calendarId);
  const openEditor = (nextEditing: Editing): void => {
    setViewedEvent(undefined);
    setEditing(nextEditing);
  };
  const dialogs = (
    <>
      {viewedEvent && viewedCalendar && (
        <QuickView
          event={viewedEvent}
          calendar={viewedCalendar}
          zone={zone}
          onClose={() => setViewedEvent(undefined)}
          onChanged={onChanged}
          onEdit={(event) =>
            openEditor({ calendarId: viewedCalendar.id, event, draft: draftOf(event, zone) })
          }
          onDuplicate={
            viewedCalendar.accessRole === 'freeBusyReader'
              ? undefined
              : (draft) => openEditor({ calendarId: viewedCalendar.id, event: undefined, draft })
          }
        />
      )}
      {editing && (
        <Editor
          editing={editing}
          zone={zone}
          knownGuests={knownGuests}
          currentEvent={events.find(({ nodeId }) => nodeId === editing.event?.nodeId)}
          onClose={(savedTimes) => {
            forgetUnsavedInput();
            setEditing(undefined);
            if (savedTimes) onSaved(savedTimes);
          }}
          onChanged={onChanged}
        />
      )}
    </>
  );
  return {
    openQuickView: setViewedEvent,
    openNewEvent: (calendarId: string, times: Times) =>
      openEditor({ calendarId, event: undefined, draft: createDraft(times, zone) }),
    /** Opens the form with a move that conflicts with another person's change. */
    openConflict: (event: CalendarEvent, times: Times) =>
      openEditor({
        calendarId: event.calendarId,
        event,
        draft: draftOf(event, zone, times),
        startsInConflict: true,
      }),
    dialogs,
  };
}

/** Collects the addresses of all guests but the caller. */
function useKnownGuests(events: readonly CalendarEvent[]): readonly string[] {
  return useMemo(() => {
    const guests = events.flatMap(({ attendees }) => attendees ?? []);
    return [...new Set(guests.flatMap(({ email, self }) => (email && !self ? [email] : [])))].sort();
  }, [events]);
}
