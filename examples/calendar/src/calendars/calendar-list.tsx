import { useId, useRef, useState, type CSSProperties } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { FieldError } from '../ui/field.tsx';
import { SideMenu } from '../ui/side-menu.tsx';
import { CalendarDialog } from './calendar-dialog.tsx';
import { isOwner, type Calendar } from './calendar.ts';
import { NewCalendarDialog } from './new-calendar-dialog.tsx';
import { nameOf, type Calendars } from './use-calendars.ts';

interface CalendarListProps {
  readonly calendars: Calendars;
}

/** Check boxes and settings of all calendars; a popover on narrow pages. */
export function CalendarList({ calendars: calendarState }: CalendarListProps) {
  const { calendars, problem, refetch } = calendarState;
  /** The open dialog: the settings of a calendar, or a new calendar if the id is undefined. */
  const [shownDialog, setShownDialog] = useState<{ readonly id: string | undefined }>();
  const menuButton = useRef<HTMLButtonElement>(null);
  const closeDialog = (): void => setShownDialog(undefined);
  const openDialog = (id: string | undefined): void => {
    // On a phone the menu closes, so the dialog can return the focus only to the menu's button.
    if (menuButton.current?.checkVisibility()) menuButton.current.focus();
    setShownDialog({ id });
  };
  const shownCalendar = calendars.find(({ id }) => id === shownDialog?.id);
  // The id of a primary calendar is its owner's address.
  const ownAddress = calendars.find(({ primary }) => primary)?.id;
  return (
    <>
      <SideMenu label="Calendars" icon="calendars" buttonRef={menuButton}>
        <div className="calendars">
          <CalendarGroup
            title="My calendars"
            calendars={calendars.filter(isOwner)}
            calendarState={calendarState}
            onOpen={openDialog}
          />
          <CalendarGroup
            title="Other calendars"
            calendars={calendars.filter((calendar) => !isOwner(calendar))}
            calendarState={calendarState}
            onOpen={openDialog}
          />
          <FieldError role="alert" error={problem} />
          <Button className="link" onClick={() => openDialog(undefined)} icon="plus">
            New calendar
          </Button>
        </div>
      </SideMenu>
      {shownDialog && shownDialog.id === undefined && (
        <NewCalendarDialog onClose={closeDialog} onChanged={refetch} />
      )}
      {shownCalendar && (
        <CalendarDialog
          key={shownCalendar.id}
          calendar={shownCalendar}
          ownAddress={ownAddress}
          onClose={closeDialog}
          onChanged={refetch}
        />
      )}
    </>
  );
}

interface CalendarGroupProps {
  readonly title: string;
  readonly calendars: readonly Calendar[];
  readonly calendarState: Calendars;
  readonly onOpen: (id: string) => void;
}

function CalendarGroup({ title, calendars, calendarState, onOpen }: CalendarGroupProps) {
  const { visibleCalendars, toggleVisibility, colorOf } = calendarState;
  const headingId = useId();
  if (calendars.length === 0) return null;
  return (
    <section aria-labelledby={headingId}>
      <p id={headingId}>{title}</p>
      <ul>
        {calendars.map((calendar) => (
          <li key={calendar.id}>
            <label className="check" style={{ '--calendar': colorOf(calendar) } as CSSProperties}>
              <input
                type="checkbox"
                checked={visibleCalendars.includes(calendar)}
                onChange={() => toggleVisibility(calendar.id)}
              />
              <span>{nameOf(calendar)}</span>
            </label>
            <IconButton
              icon="more"
              label={`Settings of ${nameOf(calendar)}`}
              onClick={() => onOpen(calendar.id)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
