import { useId } from 'react';
import { Temporal } from 'temporal-polyfill';
import { messagesAt } from '../api/failure.ts';
import { Checkbox, FieldError, SelectField, TextField } from '../ui/field.tsx';
import { firstWeekday, locale } from '../ui/locale.ts';
import { bindFields } from '../ui/use-form.ts';
import { isDate } from './draft.ts';
import type { SectionProps } from './section-props.ts';
import { describeMonthlyWeekday, formatWeekday, readWeekday, weekdays } from './recurrence-words.ts';
import {
  weekdaysOfRule,
  describeExtraStart,
  describeRepeats,
  type Repeats,
  type RuleInput,
} from './repeats.ts';
import type { SeriesRule } from './use-series-rule.ts';

interface RepeatFieldsProps extends SectionProps {
  /** Whether the event is an instance of a series. */
  readonly isInstance: boolean;
  readonly series: SeriesRule | undefined;
  /** Whether the caller may change the rule. */
  readonly mayChange: boolean;
}

const unitLabels: Readonly<Partial<Record<Repeats, string>>> = {
  DAILY: 'days',
  WEEKDAYS: 'weeks',
  WEEKLY: 'weeks',
  MONTHLY: 'months',
  MONTHLY_WEEKDAY: 'months',
  YEARLY: 'years',
};
const endLabels = [
  ['never', 'Never'],
  ['until', 'On a date'],
  ['count', 'After n times'],
] as const;

/** Start of a form whose date is not complete yet. */
const fallbackStart = '2000-01-01';

/** Edits the rule of an event; a rule that these fields cannot express is kept and shown in words. */
export function RepeatFields({ draft, errors, onChange, isInstance, series, mayChange }: RepeatFieldsProps) {
  const daysErrorId = useId();
  if (!mayChange) return series ? <p className="hint">Repeats: {series.description}</p> : null;
  const seriesRule = draft.repeats === 'unchanged' ? series?.ruleInput : undefined;
  const { repeats, rule } = seriesRule ?? draft;
  const start = isDate(draft.startDate) ? draft.startDate : fallbackStart;
  const changeRule = (change: { readonly repeats?: Repeats } & Partial<RuleInput>): void => {
    const { repeats: nextRepeats = repeats, ...ruleChange } = change;
    const nextFields = { repeats: nextRepeats, rule: { ...rule, ...ruleChange } };
    const isSeriesRule = series?.ruleInput && JSON.stringify(nextFields) === JSON.stringify(series.ruleInput);
    onChange(isSeriesRule ? { repeats: 'unchanged' } : nextFields);
  };
  const ruleField = bindFields(rule, errors, changeRule);
  const startWeekday = readWeekday(start);
  const days = weekdaysOfRule(rule, startWeekday);
  const options: readonly (readonly [Repeats, string])[] = [
    ...(isInstance && !series?.ruleInput
      ? [['unchanged', series?.description ?? 'As the series does'] as const]
      : []),
    ['', 'Does not repeat'],
    ['DAILY', 'Daily'],
    ['WEEKDAYS', 'Weekly on weekdays'],
    ['WEEKLY', 'Weekly on chosen days'],
    ['MONTHLY', `Monthly on day ${Number(start.slice(8))}`],
    ['MONTHLY_WEEKDAY', `Monthly on ${describeMonthlyWeekday(start)}`],
    ['YEARLY', 'Yearly'],
  ];
  const hasRule = repeats !== '' && repeats !== 'unchanged';
  const typedRule = { ...draft, repeats, rule, startDate: start };
  const daysError = messagesAt(errors, 'recurrence.days');
  return (
    <>
      <SelectField
        label="Repeats"
        hint={
          hasRule
            ? seriesRule
              ? series?.description
              : [describeRepeats(typedRule), isDate(draft.startDate) && describeExtraStart(typedRule)]
                  .filter(Boolean)
                  .join('. ')
            : undefined
        }
        options={options}
        value={repeats}
        onChange={(value) => changeRule({ repeats: value })}
        error={messagesAt(errors, 'recurrence', 'recurrence.0')}
      />
      {repeats === 'WEEKLY' && (
        <fieldset>
          <legend>On</legend>
          <div className="row wrap">
            {weekdaysFrom(firstWeekday).map((day) => (
              <Checkbox
                key={day}
                label={formatWeekday(day, 'short', locale)}
                checked={days.includes(day)}
                errorId={daysError && daysErrorId}
                onChange={(checked) =>
                  changeRule({ days: checked ? [...days, day] : days.filter((other) => other !== day) })
                }
              />
            ))}
          </div>
          <FieldError id={daysErrorId} error={daysError} />
        </fieldset>
      )}
      {hasRule && (
        <div className="row rule">
          <TextField
            type="number"
            min={1}
            label={`Every (${unitLabels[repeats]})`}
            {...ruleField('interval', 'recurrence.interval')}
          />
          <SelectField
            label="Ends"
            options={endLabels}
            value={rule.ends}
            onChange={(ends) =>
              changeRule({ ends, ...(ends === 'until' && rule.until === '' && { until: addMonth(start) }) })
            }
          />
          {rule.ends === 'until' && (
            <TextField type="date" label="Last day" {...ruleField('until', 'recurrence.until')} />
          )}
          {rule.ends === 'count' && (
            <TextField type="number" min={1} label="Times" {...ruleField('count', 'recurrence.count')} />
          )}
        </div>
      )}
    </>
  );
}

const addMonth = (date: string): string => Temporal.PlainDate.from(date).add({ months: 1 }).toString();

const weekdaysFrom = (firstDay: number) => [
  ...weekdays.slice(firstDay - 1),
  ...weekdays.slice(0, firstDay - 1),
];
