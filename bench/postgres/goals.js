// Goals of the gateway, which run.js checks. Each limits (`max`, `min`) the ratio of a figure of measure.js
// to that of `otherServer`. The server `limit` is the lower bound of limit.js.
export const goals = [
  {
    title: 'median of a patch ÷ Apollo and kysely',
    figure: 'median',
    operation: 'patch',
    otherServer: 'apollo',
    max: 1.1,
  },
  {
    title: 'median of a week ÷ Apollo and kysely',
    figure: 'median',
    operation: 'week',
    otherServer: 'apollo',
    max: 1,
  },
  {
    title: 'patches a second, 20 callers ÷ Apollo and kysely',
    figure: 'rate',
    operation: 'patch20',
    otherServer: 'apollo',
    min: 0.8,
  },
  {
    title: 'weeks a second, 20 callers ÷ Apollo and kysely',
    figure: 'rate',
    operation: 'week20',
    otherServer: 'apollo',
    min: 0.9,
  },
  {
    title: "PostgreSQL's CPU for a patch ÷ the limit",
    figure: 'database',
    operation: 'patch',
    otherServer: 'limit',
    max: 2.5,
  },
  {
    title: "PostgreSQL's CPU for a week ÷ the limit",
    figure: 'database',
    operation: 'week',
    otherServer: 'limit',
    max: 2.5,
  },
];

/** Goals with a slower disk. */
export const slowDiskGoals = [
  {
    title: "patches a second, 20 callers ÷ the limit with the calendar's counter behind http",
    figure: 'rate',
    operation: 'patch20',
    otherServer: 'http',
    min: 0.6,
  },
];
