import { useEffect, useId, useRef, useState, type CSSProperties } from 'react';
import { Icon } from '../ui/icon.tsx';
import { CalendarDialog } from './calendar-dialog.tsx';
import { owns, type Calendar } from './calendar.ts';
import { NewCalendarDialog } from './new-calendar-dialog.tsx';
import { nameOf, type Calendars } from './use-calendars.ts';

interface ListProps {
  readonly calendars: Calendars;
}

/** List of calendars with check boxes and settings; a popover on phones. */
export function CalendarList({ calendars: all }: ListProps) {
  const { calendars, problem, refetch } = all;
  const [open, setOpen] = useState<{ readonly id: string | undefined }>();
  const menu = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const close = (): void => setOpen(undefined);
  // The element that opened the dialog is in the menu, which has closed.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (
      wasOpen.current &&
      !open &&
      document.activeElement === document.body &&
      opener.current?.checkVisibility()
    )
      opener.current.focus();
    wasOpen.current = open !== undefined;
  }, [open]);
  const opened = calendars.find(({ id }) => id === open?.id);
  const ownAddress = calendars.find(({ primary }) => primary)?.id;
  return (
    <>
      <section className="calendars" aria-label="Calendars">
        <button type="button" className="calendars-opener" ref={opener} popoverTarget={menu}>
          <Icon name="calendars" />
          Calendars
        </button>
        <div className="calendars-menu" id={menu} popover="auto">
          <Group
            title="My calendars"
            list={calendars.filter(owns)}
            all={all}
            onOpen={(id) => setOpen({ id })}
          />
          <Group
            title="Other calendars"
            list={calendars.filter((one) => !owns(one))}
            all={all}
            onOpen={(id) => setOpen({ id })}
          />
          {problem && (
            <p className="error" role="alert">
              <Icon name="warning" />
              {problem}
            </p>
          )}
          <button type="button" className="link" onClick={() => setOpen({ id: undefined })}>
            <Icon name="plus" />
            New calendar
          </button>
        </div>
      </section>
      {open && open.id === undefined && <NewCalendarDialog onClose={close} onChanged={refetch} />}
      {opened && (
        <CalendarDialog
          key={opened.id}
          calendar={opened}
          ownAddress={ownAddress}
          onClose={close}
          onChanged={refetch}
        />
      )}
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly list: readonly Calendar[];
  readonly all: Calendars;
  readonly onOpen: (id: string) => void;
}

function Group({ title, list, all: { shown, toggle, colorOf }, onOpen }: GroupProps) {
  const heading = useId();
  if (list.length === 0) return null;
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading}>{title}</h3>
      <ul>
        {list.map((calendar) => (
          <li key={calendar.id}>
            <label className="check" style={{ '--calendar': colorOf(calendar) } as CSSProperties}>
              <input
                type="checkbox"
                checked={shown.includes(calendar)}
                onChange={() => toggle(calendar.id)}
              />
              <span>{nameOf(calendar)}</span>
            </label>
            <button
              type="button"
              className="plain"
              aria-label={`Settings of ${nameOf(calendar)}`}
              onClick={() => onOpen(calendar.id)}
            >
              <Icon name="more" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
