import { useLayoutEffect, useRef, useState, type FocusEvent } from 'react';
import type { Temporal } from 'temporal-polyfill';
import { DayColumn } from './day-column.tsx';
import { planDay } from './layout.ts';
import { daysOf, todayIn, type CalendarEvent, type Times, type Week } from './week.ts';

const pixelsPerMinute = 0.8;
const firstHour = 7.5;

interface GridProps {
  readonly week: Week;
  readonly events: readonly CalendarEvent[];
  readonly onOpen: (event: CalendarEvent) => void;
  readonly onShift: (event: CalendarEvent, times: Times) => void;
  readonly onEmpty: (start: Temporal.PlainDateTime) => void;
}

export function WeekGrid({ week, events, onOpen, onShift, onEmpty }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [dayWidth, setDayWidth] = useState(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = firstHour * 60 * pixelsPerMinute;
    const watch = new ResizeObserver(() => setDayWidth(element.querySelector('.day')?.getBoundingClientRect().width ?? 0));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  // An event that moves to another day is another element there: who moved it with the keys goes on with it.
  const moved = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (moved.current === undefined || document.activeElement !== document.body) return;
    scroller.current?.querySelector<HTMLElement>(`[data-event="${CSS.escape(moved.current)}"]`)?.focus();
  });
  const shift = (event: CalendarEvent, times: Times): void => {
    moved.current = event.nodeId;
    onShift(event, times);
  };
  const forget = ({ target }: FocusEvent<HTMLElement>): void => {
    if (target.dataset.event !== moved.current) moved.current = undefined;
  };
  const today = todayIn(week.zone);
  return (
    <div className="week" ref={scroller} onFocus={forget} tabIndex={0} role="region" aria-label="Days of the week" style={{ '--day-width': `${dayWidth}px`, '--minute': `${pixelsPerMinute}px` } as object}>
      <p id="how-to-move" hidden>Enter opens the event. Alt with the arrow keys moves it, Alt, Shift and up or down change its end.</p>
      <ol className="clock" aria-hidden="true">
        {Array.from({ length: 23 }, (_, hour) => <li key={hour}>{`${hour + 1}`.padStart(2, '0')}:00</li>)}
      </ol>
      {daysOf(week).map((date) => (
        <DayColumn
          key={date.toString()}
          plan={planDay(date, events, week.zone)}
          isToday={date.equals(today)}
          pixelsPerMinute={pixelsPerMinute}
          onOpen={onOpen}
          onShift={shift}
          onEmpty={(minutes) => onEmpty(date.toPlainDateTime().add({ minutes }))}
        />
      ))}
    </div>
  );
}
