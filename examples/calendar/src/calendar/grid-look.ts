import type { CalendarOptions } from '@fullcalendar/react';
import { joinClassNames } from '@fullcalendar/react';

const cell = ({ isToday, isOther }: { readonly isToday: boolean; readonly isOther: boolean }) => joinClassNames('cell', isToday && 'today', isOther && 'other');

/** The names by which styles/calendar.css knows the parts of the library's views. */
export const gridLook: CalendarOptions = {
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
  slotLaneClass: ({ isMinor }) => joinClassNames('cell', isMinor && 'half-hour'),
  slotHeaderClass: ({ isFirst }) => joinClassNames('hour', isFirst ? 'first-hour' : 'next-hour'),
  slotHeaderInnerClass: 'hour-name',
  allDayHeaderClass: 'hour all-day-head',
  allDayHeaderInnerClass: 'hour-name',
  allDayDividerClass: 'divider',
  nowIndicatorLineClass: 'now',
  highlightClass: 'selected',
  navLinkClass: 'day-link',
  eventClass: ({ event, isDragging, isResizing, isMirror }) =>
    joinClassNames('event', event.extendedProps.status as string, isMirror && (isDragging || isResizing) && 'moving'),
  rowEventClass: ({ isStart, isEnd }) => joinClassNames('event-in-row', !isStart && 'goes-before', !isEnd && 'goes-on'),
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
