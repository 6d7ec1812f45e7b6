import type { CSSProperties } from 'react';
import { mayWrite, type Calendar } from '../calendars/calendar.ts';
import { paletteName } from '../calendars/colors.ts';
import { nameOf } from '../calendars/use-calendars.ts';
import { AnswerField } from '../editor/answer-field.tsx';
import { draftOf, type Draft } from '../editor/draft.ts';
import { colorOfEvent, eventColors } from '../editor/event-colors.ts';
import { EventView } from '../editor/event-view.tsx';
import { useEditor } from '../editor/use-editor.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { Saving } from '../ui/saving.tsx';
import { titleOf } from './event-card.tsx';
import type { CalendarEvent } from './week.ts';

interface QuickViewProps {
  readonly event: CalendarEvent;
  readonly calendar: Calendar;
  readonly calendarColor: string;
  readonly zone: string;
  readonly onEdit: (event: CalendarEvent) => void;
  /** Undefined if the caller sees no details to copy. */
  readonly onDuplicate: ((draft: Draft) => void) | undefined;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** Dialog with all details of an event, and buttons for the actions that the caller may take. */
export function QuickView(props: QuickViewProps) {
  const { calendar, calendarColor, zone, onEdit, onDuplicate, onClose, onChanged } = props;
  const editor = useEditor({
    editing: { calendarId: calendar.id, event: props.event, draft: draftOf(props.event, zone) },
    zone,
    onChanged,
    onDone: () => {
      onClose();
      onChanged();
    },
  });
  const { event = props.event, errors, busy } = editor;
  const color = colorOfEvent(event, calendarColor);
  return (
    <>
      <Dialog title={titleOf(event)} onClose={onClose}>
        <div className="quick-view" aria-busy={busy}>
          <Problem text={Object.values(errors).join(' ') || undefined} />
          {mayWrite(calendar) && (
            <AnswerField event={event} busy={busy} onAnswer={(answer) => void editor.answer(answer)} />
          )}
          <EventView event={event} zone={zone} calendarName={nameOf(calendar)}>
            <span className="swatch" style={{ '--calendar': color } as CSSProperties} />
            {eventColors[event.colorId ?? '']?.[1] ?? paletteName(color)}
          </EventView>
          <footer>
            {mayWrite(calendar) && (
              <button type="button" className="danger" disabled={busy} onClick={() => void editor.remove()}>
                <Icon name="trash" />
                Delete
              </button>
            )}
            <Saving busy={busy} />
            {onDuplicate && (
              <button type="button" disabled={busy} onClick={() => onDuplicate(duplicateDraft(event, zone))}>
                Duplicate
              </button>
            )}
            {mayWrite(calendar) && (
              <button type="button" className="primary" disabled={busy} onClick={() => onEdit(event)}>
                Edit
              </button>
            )}
          </footer>
        </div>
      </Dialog>
      {editor.scopeDialog}
    </>
  );
}

/** Returns the draft of a new event with the same details and guests. The caller becomes its organizer. */
function duplicateDraft(event: CalendarEvent, zone: string): Draft {
  const draft = draftOf(event, zone);
  return {
    ...draft,
    repeats: '',
    zoned: false,
    guests: draft.guests.filter(({ attendee }) => !attendee?.self).map(({ key, email }) => ({ key, email })),
  };
}
