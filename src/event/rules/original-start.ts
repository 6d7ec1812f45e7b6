import type { EventRule } from './rule.ts';
import { checkTime } from './times.ts';

export const originalStartRule: EventRule = {
  title: 'The originalStartTime of an instance is a day or a time, as a start is.',
  triggers: ['originalStartTime'],
  check({ originalStartTime: time }, _before, context) {
    if (!time) return;
    checkTime('originalStartTime', time, /* isRecurringEvent */ false, context);
    if (time.date !== undefined && time.dateTime !== undefined) {
      context.reportIssue(
        ['originalStartTime'],
        'invalid',
        'The originalStartTime has both date and dateTime, and only one is allowed.',
      );
    }
  },
};
