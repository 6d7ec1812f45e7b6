import { messagesAt } from '../api/failure.ts';
import { FieldError, TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import type { PartProps } from './fields.ts';

const answers: Readonly<Record<string, string>> = { accepted: 'accepted', declined: 'declined', tentative: 'maybe', needsAction: 'no answer yet' };

export function GuestFields({ draft: { guests }, errors, onChange }: PartProps) {
  const put = (index: number, email: string): void => onChange({ guests: guests.map((guest, at) => (at === index ? { key: guest.key, email } : guest)) });
  return (
    <fieldset>
      <legend>Guests</legend>
      {guests.map(({ key, email, name, answer }, index) => (
        <div className="row entry" key={key}>
          <TextField hideLabel label={`E-mail of guest ${index + 1}`} inputMode="email" placeholder="name@example.com" value={email} autoFocus={email === ''}
            hint={[name, answer && answers[answer]].filter(Boolean).join(' · ')}
            onChange={(value) => put(index, value)} error={messagesAt(errors, `attendees.${index}`, `attendees.${index}.email`)} />
          <button type="button" className="plain" aria-label={`Remove guest ${email || index + 1}`} onClick={() => onChange({ guests: guests.toSpliced(index, 1) })}>
            <Icon name="trash" />
          </button>
        </div>
      ))}
      <FieldError error={messagesAt(errors, 'attendees')} />
      <button type="button" className="link" onClick={() => onChange({ guests: [...guests, { key: crypto.randomUUID(), email: '' }] })}>
        <Icon name="plus" />Add a guest
      </button>
    </fieldset>
  );
}
