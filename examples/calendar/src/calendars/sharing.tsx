import { useApolloClient, useQuery } from '@apollo/client/react';
import { useEffect, useId, useRef, useState, type FormEvent } from 'react';
import { failureOf, messageOf, messagesAt, type FieldErrors } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { calendarAccessQuery, setCalendarAccessMutation } from '../api/operations.ts';
import type { CalendarAccessRole } from '../gql/graphql.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { FieldError, SelectField, TextField } from '../ui/field.tsx';
import { bindFields } from '../ui/use-form.ts';
import type { Calendar } from './calendar.ts';
import { grantableRoles, roleDescriptions } from './roles.ts';

interface SharingProps {
  readonly calendar: Calendar;
  readonly ownAddress: string | undefined;
  /** Called after callers removed their own access. */
  readonly onLeave: () => void;
  readonly onChanged: () => Promise<unknown>;
}

interface NewEntry {
  readonly email: string;
  readonly role: CalendarAccessRole;
}

/** Key of the form's errors. Other errors belong to the entry of an address. */
const newEntryKey = '';
/** The gateway lists the calendar's creator first. Their role cannot be changed. */
const creatorIndex = 0;
const emptyEntry: NewEntry = { email: '', role: 'reader' };
const roleOptions = grantableRoles.map((role) => [role, roleDescriptions[role]] as const);

/** List of people with access to a calendar. Each change is saved at once. */
export function Sharing({ calendar: { id: calendarId }, ownAddress, onLeave, onChanged }: SharingProps) {
  const client = useApolloClient();
  const headingId = useId();
  const section = useRef<HTMLElement>(null);
  const variables = { calendarId };
  const { data, error } = useQuery(calendarAccessQuery, { variables, fetchPolicy: 'cache-and-network' });
  const accessList = data?.calendarAccess ?? [];
  const [failure, setFailure] = useState<{ readonly entryKey: string; readonly errors: FieldErrors }>();
  const [newEntry, setNewEntry] = useState(emptyEntry);
  /** Text that tells screen readers of the latest change: they do not read notices behind a dialog. */
  const [outcome, setOutcome] = useState('');
  const addressField = useRef<HTMLInputElement>(null);
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    if (failure) section.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [failure]);

  const storeRole = async (email: string, role: CalendarAccessRole): Promise<void> => {
    const { data: response } = await client.mutate({
      mutation: setCalendarAccessMutation,
      variables: { calendarId, email, role },
    });
    const updatedList = response?.setCalendarAccess;
    if (updatedList)
      client.writeQuery({ query: calendarAccessQuery, variables, data: { calendarAccess: updatedList } });
    else onLeave();
    if (email === ownAddress) await onChanged().catch(() => undefined);
  };
  const report = (text: string, undo?: () => void): void => {
    setOutcome(text);
    showNotice('done', text, undo && { label: 'Undo', run: undo }, `${calendarId}/access`);
  };
  /** Gives removed access back. */
  const restoreAccess = (email: string, role: CalendarAccessRole): void =>
    void storeRole(email, role).then(
      () => report(describeAccess(email, role)),
      (restoreError: unknown) =>
        showNotice('error', `${email} did not get access back. ${messageOf(restoreError)}`, {
          label: 'Try again',
          run: () => restoreAccess(email, role),
        }),
    );
  /** Stores a role. Resolves to whether it was stored; the entry `entryKey` shows errors. */
  const setAccess = async (entryKey: string, email: string, role: CalendarAccessRole): Promise<boolean> => {
    const previousRole = accessList.find((entry) => entry.email === email)?.role;
    setIsBusy(true);
    setFailure(undefined);
    try {
      await storeRole(email, role);
      report(
        describeAccess(email, role),
        role === 'none' && previousRole && email !== ownAddress
          ? () => restoreAccess(email, previousRole)
          : undefined,
      );
      return true;
    } catch (mutationError) {
      setFailure({
        entryKey,
        errors: failureOf(mutationError, 'access', (path) => ['access', ...path]).errorsByField,
      });
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  const errorsOfEntry = (entry: string): FieldErrors => (failure?.entryKey === entry ? failure.errors : {});
  const changeNewEntry = (change: Partial<NewEntry>): void => {
    if (failure?.entryKey === newEntryKey) setFailure(undefined);
    setNewEntry({ ...newEntry, ...change });
  };
  const field = bindFields(newEntry, errorsOfEntry(newEntryKey), changeNewEntry);
  const addEntry = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await setAccess(newEntryKey, newEntry.email, newEntry.role))) return;
    setNewEntry(emptyEntry);
    addressField.current?.focus();
  };
  /** Removes the access of a row, and moves the focus to the next row or the form. */
  const removeEntry = async (email: string, row: Element | null): Promise<void> => {
    const nextControl = row?.nextElementSibling?.querySelector('select') ?? addressField.current;
    if (await setAccess(email, email, 'none')) nextControl?.focus();
  };
  return (
    <section className="panel sharing" aria-labelledby={headingId} ref={section} aria-busy={isBusy}>
      <h3 id={headingId}>Shared with</h3>
      <FieldError role="alert" error={error && messageOf(error)} />
      <ul>
        {accessList.map(({ email, role }, index) => (
          <li key={email}>
            <p className="guest">
              <span>{email}</span>
              {email === ownAddress && <small>you</small>}
            </p>
            {index === creatorIndex ? (
              <span className="quiet">Owner</span>
            ) : (
              <>
                <SelectField
                  hideLabel
                  label={`Role of ${email}`}
                  options={roleOptions}
                  value={role}
                  onChange={(nextRole) => void setAccess(email, email, nextRole)}
                  error={messagesAt(errorsOfEntry(email), 'role', 'email', '')}
                />
                <IconButton
                  icon="close"
                  label={`Remove ${email}`}
                  onClick={({ currentTarget }) => void removeEntry(email, currentTarget.closest('li'))}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      <p className="hidden" role="status">
        {outcome}
      </p>
      <form onSubmit={(event) => void addEntry(event)} noValidate aria-label="Share this calendar">
        <div className="row entry">
          <TextField
            ref={addressField}
            label="Share with"
            inputMode="email"
            placeholder="name@example.com"
            {...field('email')}
          />
          <SelectField label="Role" options={roleOptions} {...field('role')} />
          <Button type="submit" disabled={isBusy}>
            Share
          </Button>
        </div>
        <FieldError error={messagesAt(errorsOfEntry(newEntryKey), '', 'calendarId')} />
      </form>
    </section>
  );
}

/** Describes access after a change: "Shared with bob@example.com: can edit events." */
function describeAccess(email: string, role: CalendarAccessRole): string {
  const description = roleDescriptions[role];
  return role === 'none'
    ? `Access of ${email} removed.`
    : `Shared with ${email}: ${description.slice(0, 1).toLowerCase()}${description.slice(1)}.`;
}
