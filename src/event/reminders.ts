import type { Issue, Path, Warning } from '../core/errors.ts';
import { maxOverrides, type EventBody } from './event.ts';

/** The rules over a copy's reminders as a whole; each entry's own are in `eventBody`. */
export function reminderIssues(reminders: EventBody['reminders']): Issue[] {
  const overrides = reminders?.overrides ?? [];
  const issues: Issue[] = [];
  if (overrides.length > maxOverrides) {
    issues.push({
      path: ['reminders', 'overrides'],
      reason: 'eventRemindersCountExceedsLimit',
      message: `At most ${maxOverrides} reminder overrides are allowed; these are ${overrides.length}.`,
    });
  }
  if (reminders?.useDefault && overrides.length > 0) {
    issues.push({
      path: ['reminders', 'useDefault'],
      reason: 'cannotUseDefaultRemindersAndSpecifyOverride',
      message: 'Reminder overrides do not go with useDefault: true. Send useDefault: false, or overrides: null.',
    });
  }
  return issues;
}

type Entry = Readonly<Record<string, unknown>>;

/**
 * The overrides without newly added `sms` ones, which are not supported any more, and at which index each of those
 * left stood.
 */
export function withoutNewSms(
  overrides: readonly Entry[],
  stored: readonly Entry[],
  path: Path,
): { list: Entry[]; places: number[]; warnings: Warning[] } {
  const isNewSms = (entry: Entry): boolean =>
    entry.method === 'sms' && !stored.some((old) => old.method === 'sms' && old.minutes === entry.minutes);
  return {
    list: overrides.filter((entry) => !isNewSms(entry)),
    places: overrides.flatMap((entry, index) => (isNewSms(entry) ? [] : [index])),
    warnings: overrides.flatMap((entry, index) =>
      isNewSms(entry)
        ? [{ path: [...path, index], reason: 'ignored' as const, message: 'New sms reminders are ignored. Use email or popup.' }]
        : [],
    ),
  };
}
