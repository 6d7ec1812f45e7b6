// Goals of the gateway: limits (`most`, `least`) for the ratio of its figure to that of another server (`of`).
export const goals = [
  {
    title: 'median of a patch ÷ Apollo and kysely',
    figure: 'median',
    operation: 'patch',
    of: 'apollo',
    most: 1.1,
  },
  {
    title: 'median of a week ÷ Apollo and kysely',
    figure: 'median',
    operation: 'week',
    of: 'apollo',
    most: 1,
  },
  {
    title: 'patches a second, 20 callers ÷ Apollo and kysely',
    figure: 'rate',
    operation: 'patch20',
    of: 'apollo',
    least: 0.8,
  },
  {
    title: 'weeks a second, 20 callers ÷ Apollo and kysely',
    figure: 'rate',
    operation: 'week20',
    of: 'apollo',
    least: 0.9,
  },
  {
    title: "PostgreSQL's CPU for a patch ÷ the limit",
    figure: 'database',
    operation: 'patch',
    of: 'limit',
    most: 2.5,
  },
  {
    title: "PostgreSQL's CPU for a week ÷ the limit",
    figure: 'database',
    operation: 'week',
    of: 'limit',
    most: 2.5,
  },
];

/** Goals with a slower disk. */
export const slowDiskGoals = [
  {
    title: "patches a second, 20 callers ÷ the limit with the calendar's counter behind http",
    figure: 'rate',
    operation: 'patch20',
    of: 'http',
    least: 0.6,
  },
];
