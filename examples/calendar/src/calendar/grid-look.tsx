import { joinClassNames, type CalendarOptions, type DayHeaderInfo } from '@fullcalendar/react';
import { Icon } from '../ui/icon.tsx';
import { firstWeekday, locale } from '../ui/locale.ts';

const clock = { hour: 'numeric', minute: '2-digit' } as const;

const cell = ({ isToday, isOther }: { readonly isToday: boolean; readonly isOther: boolean }) =>
  joinClassNames('cell', isToday && 'today', isOther && 'other');

function headOf({ text, weekdayText, dayNumberText, inPopover, view: { type } }: DayHeaderInfo) {
  return inPopover || type === 'dayGridMonth' ? (
    text
  ) : (
    <>
      {weekdayText} <b>{dayNumberText}</b>
    </>
  );
}

const isOnHalfHour = (time: { readonly milliseconds: number } | undefined): boolean =>
  (time?.milliseconds ?? 0) % (30 * 60_000) === 0;

/** Options of all views, and the names by which styles/calendar.css knows the parts of the library's views. */
export const gridLook: CalendarOptions = {
  locale,
  // The library counts from Sunday as 0.
  firstDay: firstWeekday % 7,
  headerToolbar: false,
  height: '100%',
  nowIndicator: true,
  navLinks: true,
  selectable: true,
  selectMinDistance: 6,
  scrollTime: '07:30:00',
  scrollTimeReset: false,
  // A slot is a step of a move, because the library takes an event by the middle of the slot under the pointer.
  slotDuration: '00:15:00',
  slotHeaderInterval: '01:00:00',
  slotHeaderFormat: clock,
  eventTimeFormat: clock,
  // Copies of one event: in the order of the calendars, whichever was read first.
  eventOrder: 'start,-duration,allDay,title,place',
  allDayText: 'all day',
  slotEventOverlap: false,
  fixedWeekCount: false,
  dayHeaderContent: headOf,
  popoverCloseContent: () => <Icon name="close" />,

  viewClass: 'view',
  tableHeaderClass: 'heads',
  dayHeaderRowClass: 'cell',
  dayHeaderClass: (info) => joinClassNames(cell(info), 'head', info.inPopover && 'head-of-more'),
  dayHeaderInnerClass: 'head-name',
  dayHeaderAlign: ({ inPopover }) => (inPopover ? 'start' : 'center'),
  dayHeaderDividerClass: 'divider',
  slotHeaderDividerClass: 'divider-of-hours',
  fillerClass: 'cell',
  dayRowClass: 'cell',
  dayCellClass: cell,
  dayCellTopClass: 'day-top',
  dayCellTopInnerClass: 'day-number',
  dayCellBottomClass: 'day-bottom',
  dayLaneClass: cell,
  dayLaneInnerClass: 'lane',
  // A day without events is a stop of the Tab key too, so that the arrow keys scroll it.
  dayLaneDidMount: ({ el, view }) => {
    if (view.type === 'timeGridDay') el.tabIndex = 0;
  },
  slotLaneClass: ({ isMinor, time }) => isOnHalfHour(time) && joinClassNames('cell', isMinor && 'half-hour'),
  slotHeaderClass: ({ isFirst }) => joinClassNames('hour', isFirst ? 'first-hour' : 'next-hour'),
  slotHeaderInnerClass: 'hour-name',
  allDayHeaderClass: 'hour all-day-head',
  allDayHeaderInnerClass: 'hour-name',
  allDayDividerClass: 'divider',
  nowIndicatorLineClass: 'now',
  highlightClass: 'selected',
  navLinkClass: 'day-link',
  eventClass: ({ event, isMirror }) =>
    joinClassNames('event', event.extendedProps.status as string, isMirror && 'moving'),
  rowEventClass: ({ isStart, isEnd }) =>
    joinClassNames('event-in-row', !isStart && 'goes-before', !isEnd && 'goes-on'),
  columnEventClass: ({ isShort }) => joinClassNames('event-in-hours', isShort && 'event-in-row'),
  columnEventAfterClass: ({ isEndResizable }) => isEndResizable && 'event-end',
  rowEventAfterClass: ({ isEndResizable }) => isEndResizable && 'event-end-of-row',
  listItemEventClass: 'event-in-list',
  listItemEventBeforeClass: 'event-dot',
  eventInnerClass: 'event-words',
  moreLinkClass: 'more',
  columnMoreLinkClass: 'more-in-hours',
  popoverClass: 'more-window card',
  popoverCloseClass: 'more-close',
  listDayClass: 'list-day',
  listDayHeaderClass: 'list-head',
  noEventsClass: 'no-events',
};

/** The library opens the rest of a day where the day begins, also at the bottom of the window. */
export function keepInWindow(): void {
  const rest = document.querySelector<HTMLElement>('.more-window');
  const below = rest ? rest.getBoundingClientRect().bottom + 8 - document.documentElement.clientHeight : 0;
  if (rest && below > 0) rest.style.translate = `0 ${-below}px`;
}
