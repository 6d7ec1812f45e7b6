import { useId } from 'react';
import type { CalendarEvent } from '../calendar/event-times.ts';
import { messagesAt } from '../api/failure.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { FieldError, TextField } from '../ui/field.tsx';
import type { Guest } from './guests.ts';
import type { SectionProps } from './section-props.ts';
import { useAvailability } from './use-availability.ts';

const responseWords: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  declined: 'declined',
  tentative: 'maybe',
  needsAction: 'no answer yet',
};

interface GuestFieldsProps extends SectionProps {
  readonly event: CalendarEvent | undefined;
  /** Time zone of the page. */
  readonly zone: string;
  readonly suggestions: readonly string[];
}

/**
 * Lists invited guests with their responses, has a field for each new address, and says who is free at the times of
 * the form. That never prevents saving.
 */
export function GuestFields({ draft, errors, onChange, event, zone, suggestions }: GuestFieldsProps) {
  const suggestionsId = useId();
  const { guests, repeats } = draft;
  const isNewSeries = !event?.recurringEventId && repeats !== '';
  const availabilities = useAvailability(draft, event, zone);
  const setAddress = (index: number, email: string): void =>
    onChange({ guests: guests.with(index, { key: guests[index]?.key ?? '', email }) });
  return (
    <fieldset className="guests">
      <legend>Guests</legend>
      {guests.map((guest, index) => (
        <div className="row entry" key={guest.key}>
          {guest.attendee ? (
            <GuestDetails email={guest.email} attendee={guest.attendee} />
          ) : (
            <TextField
              hideLabel
              label={`E-mail of guest ${index + 1}`}
              inputMode="email"
              list={suggestionsId}
              placeholder="name@example.com"
              value={guest.email}
              autoFocus={guest.email === ''}
              onChange={(value) => setAddress(index, value)}
              error={messagesAt(errors, `attendees.${guest.key}`, `attendees.${guest.key}.email`)}
            />
          )}
          {mayRemove(guest) && (
            <IconButton
              icon="close"
              label={`Remove guest ${guest.email || index + 1}`}
              onClick={() => onChange({ guests: guests.toSpliced(index, 1) })}
            />
          )}
        </div>
      ))}
      <datalist id={suggestionsId}>
        {suggestions
          .filter((address) => !guests.some(({ email }) => email === address))
          .map((address) => (
            <option key={address} value={address} />
          ))}
      </datalist>
      <FieldError error={messagesAt(errors, 'attendees')} />
      <Button
        className="link"
        onClick={() => onChange({ guests: [...guests, { key: crypto.randomUUID(), email: '' }] })}
        icon="plus"
      >
        Add a guest
      </Button>
      {guests.length === 0 && <p className="hint">Shows which guests are free at this time.</p>}
      <div role="status">
        {availabilities.length > 0 && isNewSeries && <p className="hint">At the first event:</p>}
        {availabilities.length > 0 && (
          <ul className="availability" aria-label="Guests at this time">
            {availabilities.map(({ email, state }) => (
              <li key={email} className={state}>
                {email}: <b>{state}</b>
              </li>
            ))}
          </ul>
        )}
      </div>
    </fieldset>
  );
}

/** Guests cannot remove themselves from the list; they delete the event from their calendar instead. */
const mayRemove = ({ attendee }: Guest): boolean => !attendee?.self || attendee.organizer === true;

/** Shows name, address and response of a guest. */
export function GuestDetails({ email, attendee }: Pick<Guest, 'email' | 'attendee'>) {
  const remarks = [
    attendee?.organizer && 'organizer',
    attendee?.self && 'you',
    attendee?.responseStatus && responseWords[attendee.responseStatus],
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <p className="guest">
      <span>{attendee?.displayName || email || 'somebody without an address'}</span>{' '}
      <small>{attendee?.displayName ? `${email} · ${remarks}` : remarks}</small>
    </p>
  );
}
