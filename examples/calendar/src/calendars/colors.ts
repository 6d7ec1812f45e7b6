import type { Calendar } from './calendar.ts';

/** Colours that stand out from light and from dark grounds (at least 3 : 1). */
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

/** The name of a colour, or its code. */
export const paletteName = (color: string): string => palette.find(([one]) => one === color)?.[1] ?? color;

/** The calendar's own colour, else always the same one of the palette. */
export function colorFor({ id, backgroundColor }: Pick<Calendar, 'id' | 'backgroundColor'>): string {
  if (backgroundColor) return backgroundColor;
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return palette[sum % palette.length]?.[0] ?? '#6366f1';
}
