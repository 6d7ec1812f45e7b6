import type { Calendar } from './calendar.ts';

/** Colours with a contrast of at least 3 : 1 to light and to dark backgrounds. */
export const palette: readonly (readonly [color: string, name: string])[] = [
  ['#6366f1', 'Indigo'],
  ['#0d9488', 'Teal'],
  ['#c2570c', 'Orange'],
  ['#db2777', 'Pink'],
  ['#0b7fc7', 'Blue'],
  ['#2f8f46', 'Green'],
  ['#9d4edd', 'Violet'],
  ['#97704a', 'Brown'],
];

/** Returns the name of a colour, or its code if it is not in the palette. */
export const nameColor = (color: string): string =>
  palette.find(([paletteColor]) => paletteColor === color)?.[1] ?? color;

const defaultColor = '#6366f1';
const hashFactor = 31;
/** A prime, so that hashes spread over the palette. */
const hashModulus = 9973;

/** Returns the calendar's own colour, else a colour of the palette that depends on its id only. */
export function chooseCalendarColor({
  id,
  backgroundColor,
}: Pick<Calendar, 'id' | 'backgroundColor'>): string {
  if (backgroundColor) return backgroundColor;
  let hash = 0;
  for (const character of id) hash = (hash * hashFactor + (character.codePointAt(0) ?? 0)) % hashModulus;
  return palette[hash % palette.length]?.[0] ?? defaultColor;
}
