import { useId } from 'react';
import { messagesAt } from '../api/failure.ts';
import { FieldError, TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import type { SectionProps } from './section-props.ts';
import type { Guest } from './guests.ts';

const responseWords: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  declined: 'declined',
  tentative: 'maybe',
  needsAction: 'no answer yet',
};

/** Lists invited guests with their responses, and has a field for each new address. */
export function GuestFields({
  draft: { guests },
  errors,
  onChange,
  suggestions,
}: SectionProps & { readonly suggestions: readonly string[] }) {
  const suggestionsId = useId();
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
              error={messagesAt(errors, `attendees.${index}`, `attendees.${index}.email`)}
            />
          )}
          {mayRemove(guest) && (
            <button
              type="button"
              className="plain"
              aria-label={`Remove guest ${guest.email || index + 1}`}
              onClick={() => onChange({ guests: guests.toSpliced(index, 1) })}
            >
              <Icon name="close" />
            </button>
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
      <button
        type="button"
        className="link"
        onClick={() => onChange({ guests: [...guests, { key: crypto.randomUUID(), email: '' }] })}
      >
        <Icon name="plus" />
        Add a guest
      </button>
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
