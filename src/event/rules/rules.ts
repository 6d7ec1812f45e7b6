import type { EventRule } from './rule.ts';
import { conferenceRule, entryPointsRule } from './conference.ts';
import { duplicateGuestsRule } from './duplicate-guests.ts';
import { extendedPropertiesRule, mapSizesRule } from './extended-properties.ts';
import { originalStartRule, timesRule } from './times.ts';
import { recurrenceLinesRule } from './recurrence.ts';

const [minIdLength, maxIdLength] = [5, 1024];
const lengthMessage = `An id has ${minIdLength} to ${maxIdLength} characters.`;

/** Rule of the ids that a new event chooses. */
const identifiersRule: EventRule = {
  title:
    'A new event may choose its id, 5 to 1024 of the letters a to v and the digits, or its iCalUID, not both; ' +
    'neither may be empty.',
  triggers: [],
  check({ id, iCalUID, recurringEventId }, _before, { reportIssue, mode }) {
    // Imported ids come from other systems and are opaque.
    if (mode === 'import' && id === '')
      reportIssue(['id'], 'invalid', 'The id must not be empty. Leave it out to get one.');
    if (id !== undefined && mode !== 'import') {
      if (id.length > maxIdLength)
        reportIssue(['id'], 'tooLong', lengthMessage, { max: maxIdLength, actual: id.length });
      if (id.length < minIdLength)
        reportIssue(['id'], 'invalid', lengthMessage, { min: minIdLength, actual: id.length });
      // An instance's id consists of its series' id and its original start.
      if (recurringEventId === undefined && !/^[a-v0-9]*$/.test(id)) {
        const message = 'An id may hold the letters a to v and the digits 0 to 9 only (base32hex).';
        reportIssue(['id'], 'invalid', message);
      }
    }
    if (iCalUID === '')
      reportIssue(['iCalUID'], 'invalid', 'The iCalUID must not be empty. Leave it out to get one.');
  },
};

/** Rule that default and own reminders exclude each other. */
const remindersRule: EventRule = {
  title: 'overrides go with useDefault: false only.',
  triggers: ['reminders'],
  check({ reminders: { overrides = [], useDefault } = {} }, _before, { reportIssue }) {
    if (!useDefault || overrides.length === 0) return;
    const message =
      'Reminder overrides cannot be combined with useDefault: true. Send useDefault: false, or overrides: null.';
    reportIssue(['reminders', 'useDefault'], 'cannotUseDefaultRemindersAndSpecifyOverride', message);
  },
};

/** Rule that the sequence never decreases (RFC 5545, section 3.8.7.4). The table of fields refuses negative numbers. */
const sequenceRule: EventRule = {
  title: 'The sequence never goes back.',
  triggers: ['sequence'],
  check({ sequence: after = 0 }, { sequence: before = 0 }, { reportIssue }) {
    if (after >= before || after < 0) return;
    const message = `The sequence must not decrease: the stored one is ${before}. Leave it out, or send ${before} or more.`;
    reportIssue(['sequence'], 'invalid', message, { min: before, actual: after });
  },
};

/** Rules over several fields, for patches, inserts, imports and input that does not fit the schema. */
export const eventRules: readonly EventRule[] = [
  identifiersRule,
  timesRule,
  originalStartRule,
  recurrenceLinesRule,
  duplicateGuestsRule,
  conferenceRule,
  entryPointsRule,
  extendedPropertiesRule,
  mapSizesRule,
  remindersRule,
  sequenceRule,
];
