import { joinClassNames, type CalendarOptions, type DayHeaderInfo } from '@fullcalendar/react';
import { Icon } from '../ui/icon.tsx';
import { firstWeekday, locale } from '../ui/locale.ts';

const timeFormat = { hour: 'numeric', minute: '2-digit' } as const;

const cellClass = ({ isToday, isOther }: { readonly isToday: boolean; readonly isOther: boolean }) =>
  joinClassNames('cell', isToday && 'today', isOther && 'other');

/** Shows the weekday and the number of a day. A month and the popover have the text of the library. */
function renderDayHeader({ text, weekdayText, dayNumberText, inPopover, view: { type } }: DayHeaderInfo) {
  return inPopover || type === 'dayGridMonth' ? (
    text
  ) : (
    <>
      {weekdayText} <b>{dayNumberText}</b>
    </>
  );
}

const halfHourMs = 30 * 60_000;
const isOnHalfHour = (time: { readonly milliseconds: number } | undefined): boolean =>
  (time?.milliseconds ?? 0) % halfHourMs === 0;

/** Options of all views, with the class names that styles/calendar.css uses. */
export const gridOptions: CalendarOptions = {
  locale,
  // The library counts from Sunday as 0.
  firstDay: firstWeekday % 7,
  headerToolbar: false,
  height: '100%',
  nowIndicator: true,
  navLinks: true,
  selectable: true,
  // Pixels: a shorter drag over empty hours is a click.
  selectMinDistance: 6,
  scrollTime: '07:30:00',
  scrollTimeReset: false,
  // A slot is the step of a move by pointer.
  slotDuration: '00:15:00',
  slotHeaderInterval: '01:00:00',
  slotHeaderFormat: timeFormat,
  eventTimeFormat: timeFormat,
  eventOrder: 'start,rank,-duration,allDay,title',
  allDayText: 'all day',
  slotEventOverlap: false,
  fixedWeekCount: false,
  dayHeaderContent: renderDayHeader,
  popoverCloseContent: () => <Icon name="close" />,

  viewClass: 'view',
  tableHeaderClass: 'heads',
  dayHeaderRowClass: 'cell',
  dayHeaderClass: (info) => joinClassNames(cellClass(info), 'head', info.inPopover && 'head-of-more'),
  dayHeaderInnerClass: 'head-name',
  dayHeaderAlign: ({ inPopover }) => (inPopover ? 'start' : 'center'),
  dayHeaderDividerClass: 'divider',
  slotHeaderDividerClass: 'divider-of-hours',
  fillerClass: 'cell',
  dayRowClass: 'cell',
  dayCellClass: cellClass,
  dayCellTopClass: 'day-top',
  dayCellTopInnerClass: 'day-number',
  dayCellBottomClass: 'day-bottom',
  dayLaneClass: cellClass,
  dayLaneInnerClass: 'lane',
  // Focusable also without events, so that the arrow keys scroll the day.
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
  popoverCloseClass: 'plain more-close',
  listDayClass: 'list-day',
  listDayHeaderClass: 'list-head',
  noEventsClass: 'no-events',
};

const popoverMarginPixels = 8;

/** Moves the popover with a day's further events up into the window. The library opens it at the top of the day. */
export function keepPopoverInWindow(): void {
  const popover = document.querySelector<HTMLElement>('.more-window');
  if (!popover) return;
  const overflowPixels =
    popover.getBoundingClientRect().bottom + popoverMarginPixels - document.documentElement.clientHeight;
  if (overflowPixels > 0) popover.style.translate = `0 ${-overflowPixels}px`;
}
