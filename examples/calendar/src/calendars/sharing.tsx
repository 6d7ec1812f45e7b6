import { useApolloClient, useQuery } from '@apollo/client/react';
import { useEffect, useId, useRef, useState, type FormEvent } from 'react';
import { failureOf, messageOf, messagesAt, type FieldErrors } from '../api/failure.ts';
import { calendarAccessQuery, setCalendarAccess } from '../api/operations.ts';
import type { CalendarAccessRole } from '../gql/graphql.ts';
import { FieldError, SelectField, TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Calendar } from './calendar.ts';
import { givenRoles, roleWords } from './roles.ts';

interface SharingProps {
  readonly calendar: Calendar;
  readonly ownAddress: string | undefined;
  /** An owner who took the own role away. */
  readonly onLeft: () => void;
  readonly onChanged: () => Promise<unknown>;
}

const options = givenRoles.map((role) => [role, roleWords[role]] as const);

/** Access list of a calendar. Each change is stored at once. */
export function Sharing({ calendar: { id: calendarId }, ownAddress, onLeft, onChanged }: SharingProps) {
  const client = useApolloClient();
  const heading = useId();
  const section = useRef<HTMLElement>(null);
  const variables = { calendarId };
  const { data, error } = useQuery(calendarAccessQuery, { variables, fetchPolicy: 'cache-and-network' });
  const list = data?.calendarAccess ?? [];
  /** Errors of an entry, by its address; '' is the new entry. */
  const [wrong, setWrong] = useState<{ readonly entry: string; readonly errors: FieldErrors }>();
  const [draft, setDraft] = useState<{ readonly email: string; readonly role: CalendarAccessRole }>({
    email: '',
    role: 'reader',
  });
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (wrong) section.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [wrong]);

  const give = async (entry: string, email: string, role: CalendarAccessRole): Promise<boolean> => {
    setBusy(true);
    setWrong(undefined);
    try {
      const { data: answer } = await client.mutate({
        mutation: setCalendarAccess,
        variables: { calendarId, email, role },
      });
      const now = answer?.setCalendarAccess;
      if (now) client.writeQuery({ query: calendarAccessQuery, variables, data: { calendarAccess: now } });
      else onLeft();
      if (email === ownAddress) await onChanged().catch(() => undefined);
      return true;
    } catch (failed) {
      setWrong({ entry, errors: failureOf(failed, 'access', (path) => ['access', ...path]).fields });
      return false;
    } finally {
      setBusy(false);
    }
  };
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await give('', draft.email, draft.role)) setDraft({ ...draft, email: '' });
  };
  const errorsOf = (entry: string): FieldErrors => (wrong?.entry === entry ? wrong.errors : {});
  return (
    <section className="panel sharing" aria-labelledby={heading} ref={section} aria-busy={busy}>
      <h3 id={heading}>Shared with</h3>
      {error && (
        <p className="error" role="alert">
          <Icon name="warning" />
          {messageOf(error)}
        </p>
      )}
      <ul>
        {list.map(({ email, role }, index) => (
          <li key={email}>
            <p className="guest">
              <span>{email}</span>
              {email === ownAddress && <small>you</small>}
            </p>
            {index === 0 ? (
              <span className="quiet">Made it</span>
            ) : (
              <>
                <SelectField
                  hideLabel
                  label={`What ${email} may do`}
                  options={options}
                  value={role}
                  onChange={(next) => void give(email, email, next)}
                  error={messagesAt(errorsOf(email), 'role', 'email', '')}
                />
                <button
                  type="button"
                  className="plain"
                  aria-label={`Take ${email} off`}
                  onClick={() => void give(email, email, 'none')}
                >
                  <Icon name="close" />
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
      <form onSubmit={(event) => void add(event)} noValidate aria-label="Share with somebody">
        <div className="row entry">
          <TextField
            label="Share with"
            inputMode="email"
            placeholder="name@example.com"
            value={draft.email}
            onChange={(email) => setDraft({ ...draft, email })}
            error={messagesAt(errorsOf(''), 'email')}
          />
          <SelectField
            label="Role"
            options={options}
            value={draft.role}
            onChange={(role) => setDraft({ ...draft, role })}
            error={messagesAt(errorsOf(''), 'role')}
          />
          <button type="submit" disabled={busy}>
            Share
          </button>
        </div>
        <FieldError error={messagesAt(errorsOf(''), '', 'calendarId')} />
      </form>
    </section>
  );
}
