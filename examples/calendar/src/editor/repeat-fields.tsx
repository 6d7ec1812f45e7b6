import { Temporal } from 'temporal-polyfill';
import { messagesAt } from '../api/failure.ts';
import { Check, SelectField, TextField } from '../ui/field.tsx';
import { firstWeekday, locale } from '../ui/locale.ts';
import { isDate } from './draft.ts';
import type { PartProps } from './fields.ts';
import { monthlyWeekday, weekdayOf, weekdays } from './recurrence-words.ts';
import { daysOf, repeatsWords, type Repeats, type RuleInput } from './repeats.ts';
import type { SeriesRule } from './use-series-rule.ts';

interface RepeatProps extends PartProps {
  /** Whether the event is one of a series. */
  readonly isInstance: boolean;
  readonly series: SeriesRule | undefined;
  /** Whether the rule is the caller's to change. */
  readonly mayChange: boolean;
}

const units: Readonly<Record<Repeats, string>> = {
  '': '',
  asNow: '',
  DAILY: 'days',
  WEEKDAYS: 'weeks',
  WEEKLY: 'weeks',
  MONTHLY: 'months',
  MONTHLY_WEEKDAY: 'months',
  YEARLY: 'years',
};
const endings = [
  ['never', 'Never'],
  ['until', 'On a date'],
  ['count', 'After a number of times'],
] as const;

/** Edits the rule of an event; a rule that these fields cannot express is kept and shown in words. */
export function RepeatFields({ draft, errors, onChange, isInstance, series, mayChange }: RepeatProps) {
  if (!mayChange) return series ? <p className="hint">Repeats: {series.words}</p> : null;
  const kept = draft.repeats === 'asNow' ? series?.inForm : undefined;
  const { repeats, rule } = kept ?? draft;
  const start = isDate(draft.startDate) ? draft.startDate : '2000-01-01';
  const put = (change: { readonly repeats?: Repeats } & Partial<RuleInput>): void => {
    const { repeats: nextRepeats = repeats, ...parts } = change;
    const next = { repeats: nextRepeats, rule: { ...rule, ...parts } };
    const isKept = series?.inForm && JSON.stringify(next) === JSON.stringify(series.inForm);
    onChange(isKept ? { repeats: 'asNow' } : next);
  };
  const ownDay = weekdayOf(start);
  const days = daysOf(rule, ownDay);
  const options: readonly (readonly [Repeats, string])[] = [
    ...(isInstance && !series?.inForm ? [['asNow', series?.words ?? 'As the series does'] as const] : []),
    ['', 'Does not repeat'],
    ['DAILY', 'Daily'],
    ['WEEKDAYS', 'Weekly on weekdays'],
    ['WEEKLY', 'Weekly on chosen days'],
    ['MONTHLY', `Monthly on day ${Number(start.slice(8))}`],
    ['MONTHLY_WEEKDAY', `Monthly on ${monthlyWeekday(start)}`],
    ['YEARLY', 'Yearly'],
  ];
  const isRule = repeats !== '' && repeats !== 'asNow';
  return (
    <>
      <SelectField
        label="Repeats"
        hint={
          isRule
            ? kept
              ? series?.words
              : repeatsWords({ ...draft, repeats, rule, startDate: start })
            : undefined
        }
        options={options}
        value={repeats}
        onChange={(value) => put({ repeats: value })}
        error={messagesAt(errors, 'recurrence', 'recurrence.0')}
      />
      {repeats === 'WEEKLY' && (
        <fieldset>
          <legend>On</legend>
          <div className="row wrap">
            {weekdaysFrom(firstWeekday).map((day) => (
              <Check
                key={day}
                label={dayName(day)}
                checked={days.includes(day)}
                onChange={(checked) =>
                  put({ days: checked ? [...days, day] : days.filter((other) => other !== day) })
                }
              />
            ))}
          </div>
        </fieldset>
      )}
      {isRule && (
        <div className="row rule">
          <TextField
            type="number"
            min={1}
            label={`Every (${units[repeats]})`}
            value={rule.interval}
            onChange={(interval) => put({ interval })}
            error={messagesAt(errors, 'recurrence.interval')}
          />
          <SelectField
            label="Ends"
            options={endings}
            value={rule.ends}
            onChange={(ends) =>
              put({ ends, ...(ends === 'until' && rule.until === '' && { until: monthAfter(start) }) })
            }
            error={undefined}
          />
          {rule.ends === 'until' && (
            <TextField
              type="date"
              label="Last day"
              value={rule.until}
              onChange={(until) => put({ until })}
              error={messagesAt(errors, 'recurrence.until')}
            />
          )}
          {rule.ends === 'count' && (
            <TextField
              type="number"
              min={1}
              label="Times"
              value={rule.count}
              onChange={(count) => put({ count })}
              error={messagesAt(errors, 'recurrence.count')}
            />
          )}
        </div>
      )}
    </>
  );
}

const monthAfter = (date: string): string => Temporal.PlainDate.from(date).add({ months: 1 }).toString();

const weekdaysFrom = (first: number): readonly string[] => [
  ...weekdays.slice(first - 1),
  ...weekdays.slice(0, first - 1),
];

/** "Mon". The first of May 2000 was a Monday. */
const dayName = (day: string): string =>
  new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' }).format(
    Date.UTC(2000, 4, 1 + weekdays.findIndex((one) => one === day)),
  );
