import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { isOwner, type Calendar } from './calendar.ts';
import { ConfirmationDialog } from './confirmation-dialog.tsx';
import { FeedAddress } from './icalendar-feed.tsx';
import { ownRoleDescriptions } from './roles.ts';
import { SettingsForm } from './settings-form.tsx';
import { Sharing } from './sharing.tsx';
import { useRemoval } from './use-removal.ts';
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
  const removal = useRemoval({ calendar, ownAddress, onClose, onChanged });
  const name = nameOf(calendar);
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
              <button type="button" className="danger" onClick={() => setConfirmation('leave')}>
                Leave this calendar
              </button>
            )}
          </div>
        )}
      </Dialog>
      {confirmation === 'delete' && (
        <ConfirmationDialog
          title="Delete this calendar?"
          submitLabel="Delete the calendar"
          onConfirm={removal.remove}
          onClose={() => setConfirmation(undefined)}
        >
          “{name}” and all its events will be deleted for everybody. This cannot be undone.
        </ConfirmationDialog>
      )}
      {confirmation === 'leave' && (
        <ConfirmationDialog
          title="Leave this calendar?"
          submitLabel="Leave"
          onConfirm={removal.leave}
          onClose={() => setConfirmation(undefined)}
        >
          You will no longer see “{name}”, unless one of its owners shares it with you again.
        </ConfirmationDialog>
      )}
    </>
  );
}
