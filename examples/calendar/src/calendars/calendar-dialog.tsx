import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { owns, type Calendar } from './calendar.ts';
import { Question } from './question.tsx';
import { ownRoleWords } from './roles.ts';
import { SettingsForm } from './settings-form.tsx';
import { Sharing } from './sharing.tsx';
import { useRemoval } from './use-removal.ts';
import { nameOf } from './use-calendars.ts';

interface CalendarDialogProps {
  readonly calendar: Calendar;
  readonly ownAddress: string | undefined;
  readonly onClose: () => void;
  readonly onChanged: () => Promise<unknown>;
}

/** A calendar's settings and who may use it, for its owners; name and role for everybody else. */
export function CalendarDialog({ calendar, ownAddress, onClose, onChanged }: CalendarDialogProps) {
  const [asked, setAsked] = useState<'delete' | 'leave'>();
  const removal = useRemoval({ calendar, ownAddress, onClose, onChanged });
  const name = nameOf(calendar);
  return (
    <>
      <Dialog title={owns(calendar) ? 'Calendar' : name} onClose={onClose}>
        {owns(calendar) ? (
          <>
            <SettingsForm
              calendar={calendar}
              onChanged={onChanged}
              onClose={onClose}
              onDelete={calendar.primary ? undefined : () => setAsked('delete')}
            />
            <Sharing calendar={calendar} ownAddress={ownAddress} onLeft={onClose} onChanged={onChanged} />
          </>
        ) : (
          <div className="panel">
            <p>{ownRoleWords[calendar.accessRole ?? 'none']}</p>
            {calendar.description && <p className="quiet">{calendar.description}</p>}
            <p className="quiet">{calendar.timeZone}</p>
            {ownAddress && (
              <button type="button" className="danger" onClick={() => setAsked('leave')}>
                Leave this calendar
              </button>
            )}
          </div>
        )}
      </Dialog>
      {asked === 'delete' && (
        <Question
          title="Delete this calendar?"
          button="Delete the calendar"
          run={removal.remove}
          onClose={() => setAsked(undefined)}
        >
          “{name}” goes with all its events, for everybody. This cannot be undone.
        </Question>
      )}
      {asked === 'leave' && (
        <Question
          title="Leave this calendar?"
          button="Leave"
          run={removal.leave}
          onClose={() => setAsked(undefined)}
        >
          You do not see “{name}” any more, until one of its owners shares it with you again.
        </Question>
      )}
    </>
  );
}
