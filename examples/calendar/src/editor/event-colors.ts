import type { CalendarEvent } from '../calendar/event-times.ts';

/** Event palette by `colorId`. The names are Google's; the colours stand out from light and dark grounds (at least 3 : 1). */
export const eventColors: Readonly<Record<string, readonly [color: string, name: string]>> = {
  1: ['#7583cf', 'Lavender'],
  2: ['#219a5f', 'Sage'],
  3: ['#a63ac2', 'Grape'],
  4: ['#d9655b', 'Flamingo'],
  5: ['#a67c00', 'Banana'],
  6: ['#e04a17', 'Tangerine'],
  7: ['#0287c7', 'Peacock'],
  8: ['#757575', 'Graphite'],
  9: ['#5468d4', 'Blueberry'],
  10: ['#0f8a4a', 'Basil'],
  11: ['#dd2222', 'Tomato'],
};

/** Returns the event's own colour, or else that of its calendar. */
export const colorOfEvent = ({ colorId }: CalendarEvent, calendarColor: string): string =>
  eventColors[colorId ?? '']?.[0] ?? calendarColor;
