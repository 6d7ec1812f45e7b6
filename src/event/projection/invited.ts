import { attendeeKey } from '../model/attendee-key.ts';
import type { EventRecord } from '../model/record.ts';

/** The addresses on a record's own guest list, as `addressKey` writes them. An exception that clears the list holds null. */
export const invitedTo = ({ core }: EventRecord): ReadonlySet<string> =>
  new Set((core.attendees ?? []).flatMap((entry) => attendeeKey(entry) ?? []));
