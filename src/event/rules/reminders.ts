import type { EventRule } from './rule.ts';

export const remindersRule: EventRule = {
  title: 'overrides go with useDefault: false only.',
  triggers: ['reminders'],
  check({ reminders: { overrides = [], useDefault } = {} }, _before, { reportIssue }) {
    if (!useDefault || overrides.length === 0) return;
    const message =
      'Reminder overrides cannot be combined with useDefault: true. Send useDefault: false, or overrides: null.';
    reportIssue(['reminders', 'useDefault'], 'cannotUseDefaultRemindersAndSpecifyOverride', message);
  },
};
