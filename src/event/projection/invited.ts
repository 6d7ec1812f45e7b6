import { attendeeKey } from '../model/attendee-key.ts';
import type { EventRecord } from '../model/record.ts';

/** The addresses on a record's own guest list, as `addressKey` writes them. */
export const invitedTo = ({ core: { attendees = [] } }: EventRecord): ReadonlySet<string> => new Set(attendees.flatMap((entry) => attendeeKey(entry) ?? []));
