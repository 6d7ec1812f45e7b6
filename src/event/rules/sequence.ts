import type { EventRule } from './rule.ts';

/** Rule that the sequence never decreases (RFC 5545, section 3.8.7.4). The table of fields refuses negative numbers. */
export const sequenceRule: EventRule = {
  title: 'The sequence never goes back.',
  triggers: ['sequence'],
  check({ sequence: after = 0 }, { sequence: before = 0 }, { reportIssue }) {
    if (after >= before || after < 0) return;
    const message = `The sequence must not decrease: the stored one is ${before}. Leave it out, or send ${before} or more.`;
    reportIssue(['sequence'], 'invalid', message, { min: before, actual: after });
  },
};
