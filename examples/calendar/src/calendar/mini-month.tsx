import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import type { Temporal } from 'temporal-polyfill';
import { Button } from '../ui/button.tsx';
import { locale } from '../ui/locale.ts';
import { SideMenu } from '../ui/side-menu.tsx';
import { isInRange, isSupportedDate, formatMonth, type DateRange } from './view-state.ts';
import { formatDayWithYear, toUtcDate, weekStartOf } from './event-times.ts';

interface MiniMonthProps {
  readonly date: Temporal.PlainDate;
  /** The visible days, which are marked. */
  readonly range: DateRange;
  readonly today: Temporal.PlainDate;
  readonly onSelect: (date: Temporal.PlainDate) => void;
}

/** Always six weeks, so that the sidebar keeps its height. */
const weekCount = 6;
const createWeekdayFormat = (weekday: 'narrow' | 'long') =>
  new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' });
const [shortWeekdayFormat, longWeekdayFormat] = [createWeekdayFormat('narrow'), createWeekdayFormat('long')];

/** A small month in the sidebar that goes to a day. Its keys are those of the ARIA date grid pattern. */
export function MiniMonth({ date, range, today, onSelect }: MiniMonthProps) {
  const titleId = useId();
  const grid = useRef<HTMLTableElement>(null);
  /** The date that the Tab key reaches. Its month is visible. */
  const [activeDate, setActiveDate] = useState(date);
  const [previousDate, setPreviousDate] = useState(date);
  // Follows the date of the page whenever it changes.
  if (!date.equals(previousDate)) {
    setPreviousDate(date);
    setActiveDate(date);
  }
  const needsFocus = useRef(false);
  useEffect(() => {
    if (needsFocus.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    needsFocus.current = false;
  }, [activeDate]);
  const activateDate = (dateToActivate: Temporal.PlainDate, takesFocus: boolean): void => {
    if (!isSupportedDate(dateToActivate)) return;
    needsFocus.current = takesFocus;
    setActiveDate(dateToActivate);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = dateSteps[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    activateDate(step(activeDate, event.shiftKey), /* takesFocus */ true);
  };
  const selectDate = (selectedDate: Temporal.PlainDate): void => {
    activateDate(selectedDate, /* takesFocus */ true);
    onSelect(selectedDate);
    grid.current?.closest<HTMLElement>(':popover-open')?.hidePopover();
  };
  const firstDay = weekStartOf(activeDate.with({ day: 1 }));
  const dayOffsets = Array.from({ length: 7 }, (_, day) => day);
  return (
    <SideMenu label="Go to date" icon="calendars">
      <div className="mini-month">
        <b id={titleId} aria-live="polite">
          {formatMonth(activeDate)}
        </b>
        {([-1, 1] as const).map((months) => (
          <Button
            key={months}
            className="plain"
            aria-label={months === 1 ? 'Next month' : 'Previous month'}
            disabled={!isSupportedDate(activeDate.add({ months }))}
            onClick={() => activateDate(activeDate.add({ months }), /* takesFocus */ false)}
            icon={months === 1 ? 'right' : 'left'}
          />
        ))}
        <table role="grid" ref={grid} aria-labelledby={titleId} onKeyDown={onKeyDown}>
          <thead>
            <tr>
              {dayOffsets.map((day) => {
                const weekdayDate = toUtcDate(firstDay.add({ days: day }));
                return (
                  <th key={day} scope="col" aria-label={longWeekdayFormat.format(weekdayDate)}>
                    {shortWeekdayFormat.format(weekdayDate)}
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
                      <Button
                        className={cellDate.month === activeDate.month ? 'plain' : 'plain other-month'}
                        tabIndex={cellDate.equals(activeDate) ? 0 : -1}
                        aria-label={formatDayWithYear(cellDate)}
                        aria-current={cellDate.equals(today) ? 'date' : undefined}
                        disabled={!isSupportedDate(cellDate)}
                        onClick={() => selectDate(cellDate)}
                      >
                        {cellDate.day}
                      </Button>
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

type DateStep = (date: Temporal.PlainDate, shiftKey: boolean) => Temporal.PlainDate;

const dateSteps: Readonly<Record<string, DateStep>> = {
  ArrowLeft: (date) => date.subtract({ days: 1 }),
  ArrowRight: (date) => date.add({ days: 1 }),
  ArrowUp: (date) => date.subtract({ weeks: 1 }),
  ArrowDown: (date) => date.add({ weeks: 1 }),
  Home: weekStartOf,
  End: (date) => weekStartOf(date).add({ days: 6 }),
  PageUp: (date, shiftKey) => date.subtract(shiftKey ? { years: 1 } : { months: 1 }),
  PageDown: (date, shiftKey) => date.add(shiftKey ? { years: 1 } : { months: 1 }),
};
