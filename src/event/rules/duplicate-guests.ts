import { attendeeKey } from '../model/fields.ts';
import type { EventRule } from './rule.ts';

/** Rule that an address is on the guest list once. Stored duplicates may stay. */
export const duplicateGuestsRule: EventRule = {
  title: 'Every address stands once on the guest list.',
  triggers: ['attendees'],
  check({ attendees = [] }, before, { reportIssue, sentIndexOf }) {
    const firstIndexes = new Map<string, number>();
    const allowedCounts = new Map<string, number>();
    for (const entry of before.attendees ?? []) {
      const key = attendeeKey(entry);
      if (key !== undefined) allowedCounts.set(key, (allowedCounts.get(key) ?? 0) + 1);
    }
    for (const [position, entry] of attendees.entries()) {
      const index = sentIndexOf('attendees', position);
      const key = typeof entry?.email === 'string' ? attendeeKey(entry) : undefined;
      // Entries that the client did not send have a negative index.
      if (index < 0 || key === undefined) continue;
      // A guest who is not stored may be listed once.
      const remainingCount = (allowedCounts.get(key) ?? 1) - 1;
      allowedCounts.set(key, remainingCount);
      const firstIndex = firstIndexes.get(key);
      if (firstIndex === undefined) firstIndexes.set(key, index);
      else if (remainingCount < 0)
        reportIssue(['attendees', index, 'email'], 'invalid', alreadyListedMessage(firstIndex), {
          index: firstIndex,
        });
    }
  },
};

/**
 * Message about a repeated guest. `index`: the first entry of the guest; `list`: the list that has it, if it
 * is another one.
 */
export const alreadyListedMessage = (index: number, list = ''): string =>
  `This guest is listed at index ${index}${list && ` of ${list}`} already (upper and lower case are the same). List each e-mail address once.`;
