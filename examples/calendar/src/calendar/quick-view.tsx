import { useState, type CSSProperties } from 'react';
import { mayWrite, type Calendar } from '../calendars/calendar.ts';
import { nameColor } from '../calendars/colors.ts';
import { nameOf, useCalendars } from '../calendars/use-calendars.ts';
import { ResponseField } from '../editor/response-field.tsx';
import { draftOf, type Draft } from '../editor/draft.ts';
import { colorOfEvent, eventColors } from '../editor/event-colors.ts';
import { EventView } from '../editor/event-view.tsx';
import { MoveDialog } from '../editor/move-dialog.tsx';
import { listDestinations } from '../editor/move-event.ts';
import { useEditor } from '../editor/use-editor.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/form-problem.tsx';
import { SavingStatus } from '../ui/saving-status.tsx';
import { titleOf } from './event-card.tsx';
import type { CalendarEvent } from './event-times.ts';

interface QuickViewProps {
  readonly event: CalendarEvent;
  readonly calendar: Calendar;
  readonly zone: string;
  readonly onEdit: (event: CalendarEvent) => void;
  /** Undefined if the caller sees no details to copy. */
  readonly onDuplicate: ((draft: Draft) => void) | undefined;
  readonly onClose: () => void;
  /** Called with the calendar of each stored change. */
  readonly onChanged: (calendarId: string) => Promise<void>;
}

/** Dialog with all details of an event, and buttons for the actions that the caller may take. */
export function QuickView(props: QuickViewProps) {
  const { calendar, zone, onEdit, onDuplicate, onClose, onChanged } = props;
  const editor = useEditor({
    editing: { calendarId: calendar.id, event: props.event, draft: draftOf(props.event, zone) },
    zone,
    onChanged,
    onDone: onClose,
  });
  const { calendars, colorOf } = useCalendars();
  const [isMoveOpen, setMoveOpen] = useState(false);
  const { event = props.event, errors, isBusy } = editor;
  const color = colorOfEvent(event, colorOf(calendar));
  const destinations = listDestinations(event, calendars);
  return (
    <>
      <Dialog title={titleOf(event)} onClose={onClose}>
        <div className="quick-view" aria-busy={isBusy}>
          <Problem text={Object.values(errors).join(' ') || undefined} />
          {mayWrite(calendar) && (
            <ResponseField
              event={event}
              isBusy={isBusy}
              onRespond={(response) => void editor.respond(response)}
            />
          )}
          <EventView
            event={event}
            zone={zone}
            calendar={
              <>
                {nameOf(calendar)}{' '}
                {destinations.length > 0 && (
                  <Button className="link" disabled={isBusy} onClick={() => setMoveOpen(true)}>
                    Move to calendar
                  </Button>
                )}
              </>
            }
          >
            <span className="swatch" style={{ '--calendar': color } as CSSProperties} />
            {eventColors[event.colorId ?? '']?.[1] ?? nameColor(color)}
          </EventView>
          {(mayWrite(calendar) || onDuplicate) && (
            <footer>
              {mayWrite(calendar) && (
                <Button
                  className="danger"
                  disabled={isBusy}
                  onClick={() => void editor.remove()}
                  icon="trash"
                >
                  Delete
                </Button>
              )}
              <SavingStatus isBusy={isBusy} />
              {onDuplicate && (
                <Button disabled={isBusy} onClick={() => onDuplicate(createDuplicateDraft(event, zone))}>
                  Duplicate
                </Button>
              )}
              {mayWrite(calendar) && (
                <Button className="primary" disabled={isBusy} onClick={() => onEdit(event)}>
                  Edit
                </Button>
              )}
            </footer>
          )}
        </div>
      </Dialog>
      {editor.scopeDialog}
      {isMoveOpen && (
        <MoveDialog
          event={event}
          destinations={destinations}
          notifiesGuests={editor.notifiesGuests}
          onNotifiesGuestsChange={editor.setNotifiesGuests}
          onMove={(destination) => void editor.move(destination, calendars)}
          onClose={() => setMoveOpen(false)}
        />
      )}
    </>
  );
}

/** Returns the draft of a new event with the same details and guests. The caller becomes its organizer. */
function createDuplicateDraft(event: CalendarEvent, zone: string): Draft {
  const draft = draftOf(event, zone);
  return {
    ...draft,
    repeats: '',
    zoned: false,
    guests: draft.guests.filter(({ attendee }) => !attendee?.self).map(({ key, email }) => ({ key, email })),
  };
}
