import { sameValue } from '../../core/fields/changes.ts';
import type { Path } from '../../core/kernel/errors.ts';
import { isFields } from '../../core/kernel/patch.ts';
import type { Draft } from '../../event/draft/draft.ts';
import { attendeeKey } from '../../event/model/attendee-key.ts';
import type { Attendee } from '../../event/model/fields.ts';
import type { EventView } from '../../event/view/event-view.ts';
import { sameMeaning } from './same-meaning.ts';

/** What a service left out of a change. */
export interface LeftOut {
  readonly paths: readonly Path[];
  /** The guest list is another one than before. */
  readonly movesGuests: boolean;
}

/** These are the service's: it may take another value than the one that was sent. */
const ofTheService: ReadonlySet<unknown> = new Set(['conferenceData', 'callLink', 'sequence']);

/**
 * Where a change, held against what the service answered, is not to be seen. What the service only spells otherwise is
 * there, and so is what became neither what was sent nor what it was before, where that is known. `isCut`: the answer has not all guests.
 */
export function leftOut(draft: Draft, before: EventView | undefined, isCut: boolean): LeftOut {
  const { at, body, seen, changedFields, state, report } = draft;
  const fields = changedFields.flatMap(({ node, path }): Path[] => {
    const [sent, now] = [valueAt(body, path), valueAt(seen, path)];
    if (ofTheService.has(path[1]) || (!node.instant && sameMeaning(sent, now))) return [];
    return !before || sameValue(node, valueAt(before, path), now) || sameMeaning(valueAt(before, path), now)
      ? [path]
      : [];
  });
  const onCalendar: Path[] = state === at.copy.state ? [] : [['event', 'status']];
  const seesOwn = isCut || (!at.asOrganizer && at.record.core.guestsCanSeeOtherGuests === false);
  return {
    paths: [...fields, ...onCalendar, ...guestsLeftOut(draft, before, seesOwn)].map((path) =>
      report.pathOf(path),
    ),
    movesGuests:
      before !== undefined && !sameValue(at.model.field('attendees'), before.attendees, seen.attendees),
  };
}

const valueAt = (event: object, [, ...steps]: Path): unknown =>
  steps.reduce<unknown>(
    (value, step) => (isFields(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    event,
  );

const listPath = ['event', 'attendees'] as const;

/** Guests by address. The organizer may be on any list, and of others only they can say what they answer. */
function guestsLeftOut(
  { at, change, seen, sentIndexes }: Draft,
  before: EventView | undefined,
  seesOwn: boolean,
): Path[] {
  if (change.attendees === undefined) return [];
  const wanted = (change.attendees ?? []) as readonly Attendee[];
  const [now, known] = [byKey(seen.attendees), byKey(before?.attendees)];
  const fields = [...at.model.field('attendees').fields.values()].filter(
    ({ name, change: by }) => by !== 'readOnly' && name !== 'email',
  );
  const indexes = sentIndexes.get('attendees') ?? [];
  const entries = wanted.flatMap((entry, position): Path[] => {
    const [key, index = -1] = [attendeeKey(entry), indexes[position]];
    if (index < 0 || (seesOwn && key !== at.owner)) return [];
    const [is, was] = [now.get(key), known.get(key)];
    if (!is) return [[...listPath, index]];
    return fields
      .filter((field) => {
        const name = field.name as 'comment';
        if (
          (field.change === 'own' && key !== at.owner) ||
          sameValue(field, is[name], entry[name]) ||
          sameMeaning(is[name], entry[name])
        )
          return false;
        return !before || sameValue(field, was?.[name], is[name]);
      })
      .map(({ name }) => [...listPath, index, name]);
  });
  const stay = new Set([...wanted.map(attendeeKey), at.organizer, at.owner]);
  const stayed = !seesOwn && [...now.keys()].some((key) => !stay.has(key) && (!before || known.has(key)));
  return stayed ? [...entries, listPath] : entries;
}

const byKey = (list: readonly Attendee[] = []): ReadonlyMap<string | undefined, Attendee> =>
  new Map(list.map((entry) => [attendeeKey(entry), entry]));
