import { useState } from 'react';
import type { CalendarEvent } from '../calendar/event-times.ts';
import type { Calendar } from '../calendars/calendar.ts';
import { nameOf } from '../calendars/use-calendars.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { NotifyField } from './notify-field.tsx';

interface MoveDialogProps {
  readonly event: CalendarEvent;
  readonly destinations: readonly Calendar[];
  readonly notifiesGuests: boolean;
  readonly onNotifiesGuestsChange: (notifiesGuests: boolean) => void;
  readonly onMove: (destination: Calendar) => void;
  readonly onClose: () => void;
}

/** Asks for the calendar to which an event moves. */
export function MoveDialog(props: MoveDialogProps) {
  const { event, destinations, notifiesGuests, onNotifiesGuestsChange, onMove, onClose } = props;
  const [calendarId, setCalendarId] = useState(destinations[0]?.id ?? '');
  const destination = destinations.find(({ id }) => id === calendarId);
  const submit = (): void => {
    onClose();
    if (destination) onMove(destination);
  };
  return (
    <FormDialog title="Move to calendar" isNarrow submitLabel="Move" onSubmit={submit} onClose={onClose}>
      <SelectField
        label="Calendar"
        options={destinations.map((calendar) => [calendar.id, nameOf(calendar)])}
        value={calendarId}
        onChange={setCalendarId}
      />
      <p className="hint" aria-live="polite">
        {event.recurringEventId && 'All events of the series move. '}
        {destination?.accessRole === 'writer' && 'The owner of the calendar becomes the organizer.'}
      </p>
      {(event.attendees?.length ?? 0) > 0 && (
        <NotifyField notifiesGuests={notifiesGuests} onChange={onNotifiesGuestsChange} />
      )}
    </FormDialog>
  );
}
