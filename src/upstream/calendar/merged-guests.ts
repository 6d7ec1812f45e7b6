import type { FieldNode } from '../../core/fields/table.ts';
import type { Draft } from '../../event/draft/draft.ts';
import type { Attendee, EventPatch } from '../../event/model/fields.ts';
import { attendeeKey } from '../../event/model/attendee-key.ts';

type Entry = Readonly<Record<string, unknown>>;

/** The guest list that a change comes to, as a patch says it; nothing where it stays. */
export function mergedGuests({
  at,
  before,
  change,
  body,
}: Draft): Pick<EventPatch, 'attendees' | 'attendeesOmitted'> {
  const { attendees } = change as { readonly attendees?: readonly Attendee[] | null };
  if (attendees === undefined) return {};
  if (attendees === null) return { attendees };
  const known = new Map((before.core.attendees ?? []).map((entry) => [attendeeKey(entry), entry as Entry]));
  const list = attendees.map((entry) =>
    withClearings(entry, known.get(attendeeKey(entry)), at.model.field('attendees')),
  );
  // The own answer alone: of a list that may be longer than what was read.
  if (body.attendeesOmitted === true)
    return { attendeesOmitted: true, attendees: list.filter((entry) => attendeeKey(entry) === at.owner) };
  return { attendees: list };
}

/** Says of what an entry loses that it is gone: what is absent may stay. */
function withClearings(entry: Attendee, before: Entry = {}, { fields }: FieldNode): Attendee {
  const lost = Object.keys(before).filter((name) => !Object.hasOwn(entry, name));
  return { ...Object.fromEntries(lost.map((name) => [name, fields.get(name)?.default ?? null])), ...entry };
}
