import type { EventRule } from './rule.ts';

const [minIdLength, maxIdLength] = [5, 1024];
const lengthMessage = `An id has ${minIdLength} to ${maxIdLength} characters.`;

export const identifiersRule: EventRule = {
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
        reportIssue(
          ['id'],
          'invalid',
          'An id may hold the letters a to v and the digits 0 to 9 only (base32hex).',
        );
      }
    }
    if (iCalUID === '')
      reportIssue(['iCalUID'], 'invalid', 'The iCalUID must not be empty. Leave it out to get one.');
  },
};
