import { attendeeKey } from '../model/fields.ts';
import type { EventRule } from './rule.ts';

/** Every address stands once on the guest list. */
export const duplicateGuests: EventRule = {
  title: 'Every address stands once on the guest list.',
  on: ['attendees'],
  check({ attendees = [] }, before, { issue, indexOf }) {
    const first = new Map<string, number>();
    // One that stood there twice before may go on doing so.
    const left = new Map<string, number>();
    for (const entry of before.attendees ?? []) {
      const key = attendeeKey(entry);
      if (key !== undefined) left.set(key, (left.get(key) ?? 0) + 1);
    }
    for (const [at, entry] of attendees.entries()) {
      const index = indexOf('attendees', at);
      const key = typeof entry?.email === 'string' ? attendeeKey(entry) : undefined;
      if (index < 0 || key === undefined) continue;
      const rest = (left.get(key) ?? 1) - 1;
      left.set(key, rest);
      const earlier = first.get(key);
      if (earlier === undefined) first.set(key, index);
      else if (rest < 0)
        issue(['attendees', index, 'email'], 'invalid', listedAlready(earlier), { index: earlier });
    }
  },
};

export const listedAlready = (index: number, list = ''): string =>
  `This guest is listed at index ${index}${list && ` of ${list}`} already (upper and lower case are the same). List each e-mail address once.`;
