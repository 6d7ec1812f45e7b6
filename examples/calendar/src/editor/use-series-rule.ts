import { useQuery } from '@apollo/client/react';
import { eventQuery } from '../api/operations.ts';
import { timesOf, type CalendarEvent } from '../calendar/event-times.ts';
import { locale } from '../ui/locale.ts';
import type { Draft } from './draft.ts';
import { parseEditableRule, describeRecurrence } from './recurrence-words.ts';
import { toRuleInput } from './repeats.ts';

/** Rule of a series, in words and as input of the form. */
export interface SeriesRule {
  readonly description: string;
  /** The rule in the fields of the form; undefined if they cannot express it. */
  readonly ruleInput: Pick<Draft, 'repeats' | 'rule'> | undefined;
}

/** Reads the rule of an instance's series; undefined for a single event, and while it is loading. */
export function useSeriesRule(event: CalendarEvent | undefined, zone: string): SeriesRule | undefined {
  const eventId = event?.recurringEventId ?? '';
  const { data } = useQuery(eventQuery, {
    variables: { calendarId: event?.calendarId ?? '', eventId },
    skip: eventId === '',
    fetchPolicy: 'cache-and-network',
  });
  const series = eventId === '' ? undefined : data?.event;
  const timeZone = series?.start?.timeZone ?? zone;
  const times = series && timesOf(series, timeZone);
  if (!series?.recurrence || !times) return undefined;
  const context = {
    start: times.start.toPlainDate().toString(),
    timeZone,
    ...(!times.allDay && { startTime: times.start.toPlainTime().toString({ smallestUnit: 'second' }) }),
    locale,
  };
  const rule = parseEditableRule(series.recurrence, context);
  const otherLines = series.recurrence.filter((line) => !/^RRULE:/i.test(line));
  return {
    description: describeRecurrence(series.recurrence, context),
    ruleInput: rule && toRuleInput(rule, otherLines),
  };
}
