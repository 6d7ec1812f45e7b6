const foreground = '#1d1d1d';
const backgrounds = [
  '#a4bdfc',
  '#7ae7bf',
  '#dbadff',
  '#ff887c',
  '#fbd75b',
  '#ffb878',
  '#46d6db',
  '#e1e1e1',
  '#5484ed',
  '#51b749',
  '#dc2127',
];

/** The palette of `colorId`, the same for every caller. Calendars have colours of their own. */
export const colors = {
  kind: 'calendar#colors',
  updated: '2012-02-14T00:00:00.000Z',
  calendar: {},
  event: Object.fromEntries(
    backgrounds.map((background, index) => [String(index + 1), { background, foreground }]),
  ),
} as const;
