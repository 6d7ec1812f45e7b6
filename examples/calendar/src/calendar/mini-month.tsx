import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import type { Temporal } from 'temporal-polyfill';
import { Icon } from '../ui/icon.tsx';
import { locale } from '../ui/locale.ts';
import { SideMenu } from '../ui/side-menu.tsx';
import { isInRange, isSupportedDate, monthTitle, type DateRange } from './view-state.ts';
import { dayNameWithYear, toUtcDate, weekStartOf } from './week.ts';

interface MiniMonthProps {
  readonly date: Temporal.PlainDate;
  /** The visible days, which are marked. */
  readonly range: DateRange;
  readonly today: Temporal.PlainDate;
  readonly onSelect: (date: Temporal.PlainDate) => void;
}

/** Always six weeks, so that the sidebar keeps its height. */
const weekCount = 6;
const weekdayFormat = (weekday: 'narrow' | 'long') =>
  new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' });
const [shortWeekday, longWeekday] = [weekdayFormat('narrow'), weekdayFormat('long')];

/** A small month in the sidebar that goes to a day. Its keys are those of the ARIA date grid pattern. */
export function MiniMonth({ date, range, today, onSelect }: MiniMonthProps) {
  const titleId = useId();
  const grid = useRef<HTMLTableElement>(null);
  /** The date that the Tab key reaches. Its month is visible. */
  const [activeDate, setActiveDate] = useState(date);
  const [previousDate, setPreviousDate] = useState(date);
  if (!date.equals(previousDate)) {
    setPreviousDate(date);
    setActiveDate(date);
  }
  const needsFocus = useRef(false);
  useEffect(() => {
    if (needsFocus.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    needsFocus.current = false;
  }, [activeDate]);
  const activate = (next: Temporal.PlainDate, takesFocus: boolean): void => {
    if (!isSupportedDate(next)) return;
    needsFocus.current = takesFocus;
    setActiveDate(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = event.ctrlKey || event.altKey || event.metaKey ? undefined : dateAfterKey(activeDate, event);
    if (!next) return;
    event.preventDefault();
    activate(next, true);
  };
  const select = (selectedDate: Temporal.PlainDate): void => {
    activate(selectedDate, true);
    onSelect(selectedDate);
    grid.current?.closest<HTMLElement>(':popover-open')?.hidePopover();
  };
  const firstDay = weekStartOf(activeDate.with({ day: 1 }));
  const dayOffsets = Array.from({ length: 7 }, (_, day) => day);
  return (
    <SideMenu label="Go to date" icon="calendars">
      <div className="mini-month">
        <h3 id={titleId} aria-live="polite">
          {monthTitle(activeDate)}
        </h3>
        {([-1, 1] as const).map((months) => (
          <button
            key={months}
            type="button"
            className="plain"
            aria-label={months === 1 ? 'Next month' : 'Previous month'}
            disabled={!isSupportedDate(activeDate.add({ months }))}
            onClick={() => activate(activeDate.add({ months }), false)}
          >
            <Icon name={months === 1 ? 'right' : 'left'} />
          </button>
        ))}
        <table role="grid" ref={grid} aria-labelledby={titleId} onKeyDown={onKeyDown}>
          <thead>
            <tr>
              {dayOffsets.map((day) => {
                const weekdayDate = toUtcDate(firstDay.add({ days: day }));
                return (
                  <th key={day} scope="col" aria-label={longWeekday.format(weekdayDate)}>
                    {shortWeekday.format(weekdayDate)}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: weekCount }, (_, weeks) => (
              <tr key={weeks}>
                {dayOffsets.map((days) => {
                  const cellDate = firstDay.add({ weeks, days });
                  return (
                    <td key={days} aria-selected={isInRange(cellDate, range)}>
                      <button
                        type="button"
                        className={cellDate.month === activeDate.month ? 'plain' : 'plain other-month'}
                        tabIndex={cellDate.equals(activeDate) ? 0 : -1}
                        aria-label={dayNameWithYear(cellDate)}
                        aria-current={cellDate.equals(today) ? 'date' : undefined}
                        disabled={!isSupportedDate(cellDate)}
                        onClick={() => select(cellDate)}
                      >
                        {cellDate.day}
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </SideMenu>
  );
}

function dateAfterKey(
  date: Temporal.PlainDate,
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
): Temporal.PlainDate | undefined {
  const step = shiftKey ? { years: 1 } : { months: 1 };
  switch (key) {
    case 'ArrowLeft':
      return date.subtract({ days: 1 });
    case 'ArrowRight':
      return date.add({ days: 1 });
    case 'ArrowUp':
      return date.subtract({ weeks: 1 });
    case 'ArrowDown':
      return date.add({ weeks: 1 });
    case 'Home':
      return weekStartOf(date);
    case 'End':
      return weekStartOf(date).add({ days: 6 });
    case 'PageUp':
      return date.subtract(step);
    case 'PageDown':
      return date.add(step);
    default:
      return undefined;
  }
}
