import { attendeeKey } from '../model/model.ts';
import type { EventRule } from './rule.ts';

/** Every address stands once on the guest list. */
export const duplicateGuests: EventRule = {
  on: ['attendees'],
  check({ attendees = [] }, _before, { issue, indexOf }) {
    const first = new Map<string, number>();
    for (const [at, entry] of attendees.entries()) {
      const index = indexOf('attendees', at);
      const key = typeof entry?.email === 'string' ? attendeeKey(entry) : undefined;
      if (index < 0 || key === undefined) continue;
      const earlier = first.get(key);
      if (earlier === undefined) first.set(key, index);
      else issue(['attendees', index, 'email'], 'invalid', `This guest is listed at index ${earlier} already (upper and lower case are the same). List each e-mail address once.`, { index: earlier });
    }
  },
};
