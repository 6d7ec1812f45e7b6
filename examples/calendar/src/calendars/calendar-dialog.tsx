import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { failureOf } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { deleteCalendarMutation, setCalendarAccessMutation } from '../api/operations.ts';
import { RefusalError } from '../api/refusal.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { isOwner, type Calendar } from './calendar.ts';
import { ConfirmationDialog } from './confirmation-dialog.tsx';
import { FeedAddress } from './icalendar-feed.tsx';
import { ownRoleDescriptions } from './roles.ts';
import { SettingsForm } from './settings-form.tsx';
import { Sharing } from './sharing.tsx';
import { nameOf } from './use-calendars.ts';

interface CalendarDialogProps {
  readonly calendar: Calendar;
  /** E-mail address of the caller; undefined without a primary calendar. */
  readonly ownAddress: string | undefined;
  readonly onClose: () => void;
  readonly onChanged: () => Promise<unknown>;
}

/** Settings and sharing of a calendar for its owners; description, role and time zone for other people. */
export function CalendarDialog({ calendar, ownAddress, onClose, onChanged }: CalendarDialogProps) {
  const [confirmation, setConfirmation] = useState<'delete' | 'leave'>();
  const [hasInput, setHasInput] = useState(false);
  const client = useApolloClient();
  const { id: calendarId, etag: ifMatch } = calendar;
  const name = nameOf(calendar);
  const finish = (message: string): void => {
    showNotice('done', message);
    onClose();
    void onChanged().catch(() => undefined);
  };
  const remove = async (): Promise<void> => {
    try {
      await client.mutate({ mutation: deleteCalendarMutation, variables: { calendarId, ifMatch } });
    } catch (error) {
      const { isConflict, isMissing } = failureOf(error, 'calendar');
      // An earlier attempt deleted the calendar, but its response was lost.
      if (isMissing) return finish(`“${name}” was deleted.`);
      if (!isConflict) throw error;
      await onChanged();
      throw new RefusalError(
        'conflict',
        'Not deleted: somebody else changed this calendar meanwhile. Please check it, then delete it if you still want to.',
      );
    }
    finish(`“${name}” was deleted.`);
  };
  const leave = async (): Promise<void> => {
    await client.mutate({
      mutation: setCalendarAccessMutation,
      variables: { calendarId, email: ownAddress ?? '', role: 'none' },
    });
    finish(`You have left “${name}”.`);
  };
  const confirmations = {
    delete: {
      title: 'Delete this calendar?',
      submitLabel: 'Delete the calendar',
      onConfirm: remove,
      children: `“${name}” and all its events will be deleted for everybody. This cannot be undone.`,
    },
    leave: {
      title: 'Leave this calendar?',
      submitLabel: 'Leave',
      onConfirm: leave,
      children: `You will no longer see “${name}”, unless one of its owners shares it with you again.`,
    },
  } as const;
  return (
    <>
      <Dialog
        title={isOwner(calendar) ? `Settings of “${name}”` : name}
        hasInput={hasInput}
        onClose={onClose}
      >
        {isOwner(calendar) ? (
          <>
            <SettingsForm
              calendar={calendar}
              onChanged={onChanged}
              onClose={onClose}
              onInput={setHasInput}
              onDelete={calendar.primary ? undefined : () => setConfirmation('delete')}
            />
            <Sharing calendar={calendar} ownAddress={ownAddress} onLeave={onClose} onChanged={onChanged} />
            <FeedAddress calendar={calendar} />
          </>
        ) : (
          <div className="panel">
            <p>{ownRoleDescriptions[calendar.accessRole ?? 'none']}</p>
            {calendar.description && <p className="quiet">{calendar.description}</p>}
            <p className="quiet">{calendar.timeZone}</p>
            {ownAddress && (
              <Button className="danger" onClick={() => setConfirmation('leave')}>
                Leave this calendar
              </Button>
            )}
          </div>
        )}
      </Dialog>
      {confirmation && (
        <ConfirmationDialog {...confirmations[confirmation]} onClose={() => setConfirmation(undefined)} />
      )}
    </>
  );
}
