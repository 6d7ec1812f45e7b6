import { useId } from 'react';
import { messagesAt } from '../api/failure.ts';
import { FieldError, TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import type { PartProps } from './fields.ts';
import type { Guest } from './guests.ts';

const answers: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  declined: 'declined',
  tentative: 'maybe',
  needsAction: 'no answer yet',
};

/** The guest list: a line for each guest with the answer, and a field for each new address. */
export function GuestFields({
  draft: { guests },
  errors,
  onChange,
  suggestions,
}: PartProps & { readonly suggestions: readonly string[] }) {
  const listId = useId();
  const put = (index: number, email: string): void =>
    onChange({ guests: guests.with(index, { key: guests[index]?.key ?? '', email }) });
  return (
    <fieldset className="guests">
      <legend>Guests</legend>
      {guests.map((guest, index) => (
        <div className="row entry" key={guest.key}>
          {guest.known ? (
            <KnownGuest email={guest.email} known={guest.known} />
          ) : (
            <TextField
              hideLabel
              label={`E-mail of guest ${index + 1}`}
              inputMode="email"
              list={listId}
              placeholder="name@example.com"
              value={guest.email}
              autoFocus={guest.email === ''}
              onChange={(value) => put(index, value)}
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
      <datalist id={listId}>
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
const mayRemove = ({ known }: Guest): boolean => !known?.self || known.organizer === true;

export function KnownGuest({ email, known }: Pick<Guest, 'email' | 'known'>) {
  const remarks = [
    known?.organizer && 'organizer',
    known?.self && 'you',
    known?.responseStatus && answers[known.responseStatus],
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <p className="guest">
      <span>{known?.displayName || email || 'somebody without an address'}</span>{' '}
      <small>{known?.displayName ? `${email} · ${remarks}` : remarks}</small>
    </p>
  );
}
