import { useId, type MouseEvent } from 'react';
import { EventCard, type CardProps } from './event-card.tsx';
import type { DayPlan } from './layout.ts';
import { dayName } from './week.ts';

interface DayProps extends Omit<CardProps, 'placed'> {
  readonly plan: DayPlan;
  readonly isToday: boolean;
  /** Where there was a click, in minutes of the day. */
  readonly onEmpty: (minutes: number) => void;
}

/** One day: its all-day events at the top, the others at their hours, for the keyboard in the order of their times. */
export function DayColumn({ plan: { date, allDay, timed }, isToday, onEmpty, ...card }: DayProps) {
  const heading = useId();
  const create = (event: MouseEvent<HTMLElement>): void => {
    if (event.target instanceof HTMLElement && event.target.closest('.event')) return;
    const { top } = event.currentTarget.getBoundingClientRect();
    onEmpty(Math.floor((event.clientY - top) / card.pixelsPerMinute / 30) * 30);
  };
  const cards = (label: string, list: typeof timed) =>
    list.length > 0 && <ul aria-label={label}>{list.map((placed) => <li key={placed.event.nodeId}><EventCard placed={placed} {...card} /></li>)}</ul>;
  return (
    <section className="day" data-day={date.toString()} data-today={isToday || undefined} aria-labelledby={heading}>
      <h3 id={heading} aria-label={`${dayName(date)}${isToday ? ', today' : ''}`}>
        <span>{dayName(date).slice(0, 3)}</span>
        <b>{date.day}</b>
      </h3>
      <div className="all-day">{cards('All day', allDay)}</div>
      {/* A click is the quick way; the button "New event" is everybody's. */}
      <div className="hours" onDoubleClick={create}>{cards('By the hour', timed)}</div>
    </section>
  );
}
