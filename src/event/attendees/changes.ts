import type { Issue, Path } from '../../core/errors.ts';
import { tooMany } from '../../core/fields/validate.ts';
import { isFields } from '../../core/patch.ts';
import { Report } from '../../core/report.ts';
import { addressKey } from '../../core/text/email.ts';
import type { Draft } from '../draft.ts';
import type { AttendeeChanges } from '../event.requests.ts';
import { attendeeKey, type EventBody, type EventPatch } from '../model/fields.ts';
import { listedAlready } from '../rules/duplicate-guests.ts';
import type { EventContext } from '../visibility/event-context.ts';
import { keyOfSent } from './guest-list.ts';

type Entry = NonNullable<EventPatch['attendees']>[number];

/** An entry of the list, and at which index of `add` the client sent it; -1 for one that only stays. */
interface Listed {
  readonly entry: Entry;
  readonly index: number;
}

interface ChangesContext {
  readonly context: Pick<EventContext, 'model' | 'owner' | 'asOrganizer'>;
  readonly seen: Pick<EventBody, 'attendees'>;
}

const changesPath = ['attendeeChanges'];

/** What the guest list is reported as: the rules know it as part of the event. */
const inChanges = (at: Path): Path => {
  const [argument, field, ...rest] = at;
  if (argument !== 'event' || field !== 'attendees') return at;
  return rest.length === 0 ? changesPath : [...changesPath, 'add', ...rest];
};

/**
 * A body with the guest list that `attendeeChanges` makes of the one that the caller sees, so that from here on there is
 * one way to change it. The report begins with the issues of other arguments, and speaks of the list as the client does.
 */
export function withGuestList(
  body: EventPatch,
  changes: AttendeeChanges | null | undefined,
  facts: ChangesContext,
  issues: readonly Issue[] = [],
): Pick<Draft, 'body' | 'report' | 'sentIndexes'> {
  const isBeside = Boolean(changes) && (body.attendees !== undefined || body.attendeesOmitted === true);
  const report = new Report([], changes && !isBeside ? inChanges : undefined);
  report.add(issues);
  if (isBeside) report.issue(changesPath, 'invalid', besideList);
  const list = changes && !isBeside ? listOf(changes, facts, report) : undefined;
  if (!list) return { body, report, sentIndexes: new Map() };
  return {
    body: { ...body, attendees: list.map(({ entry }) => entry) },
    report,
    sentIndexes: new Map([['attendees', list.map(({ index }) => index)]]),
  };
}

const besideList =
  'Send either attendeeChanges, which says who is added, changed and removed, or event.attendees, which is the whole list: not both, and no attendeesOmitted: true.';
const ownAddress =
  'A guest cannot take the own address off the list. deleteEvent takes the event off the own calendar.';

/** Undefined where nobody is added, changed or removed, or there are too many changes to look at. */
function listOf(
  { add, remove }: AttendeeChanges,
  facts: ChangesContext,
  report: Report,
): readonly Listed[] | undefined {
  const { max } = facts.context.model.field('attendees');
  const count = (add?.length ?? 0) + (remove?.length ?? 0);
  if (max && count > max.entries)
    return void report.issue(changesPath, ...tooMany({ entries: max.entries, called: 'entries' }, count));
  const added = (add ?? []).flatMap((entry, index): Listed[] => (isFields(entry) ? [{ entry, index }] : []));
  const firsts = new Map(added.map((one) => [keyOfSent(one.entry), one] as const).reverse());
  const removed = removedKeys(remove ?? [], firsts, facts, report);
  const shown = facts.seen.attendees ?? [];
  const rest = new Set(added);
  const stay = shown.flatMap((guest): Listed[] => {
    const key = attendeeKey(guest);
    if (removed.has(key)) return [];
    const change = firsts.get(key);
    // What an entry leaves out stays: the address alone changes nothing.
    return change && rest.delete(change)
      ? [change]
      : [{ entry: { email: guest.email, id: guest.id }, index: -1 }];
  });
  return added.length === 0 && stay.length === shown.length ? undefined : [...stay, ...rest];
}

/** The guests to take off; says which addresses cannot be taken off, or stand in the changes already. */
function removedKeys(
  remove: readonly string[],
  added: ReadonlyMap<string | undefined, Listed>,
  { context, seen }: ChangesContext,
  report: Report,
): ReadonlySet<string | undefined> {
  const firsts = new Map<string, number>();
  const removed = new Set<string | undefined>();
  for (const [index, address] of remove.entries()) {
    if (typeof address !== 'string') continue;
    const key = addressKey(address);
    const [inAdd, inRemove] = [added.get(key)?.index, firsts.get(key)];
    const earlier = inAdd ?? inRemove;
    const isOwn =
      key === context.owner &&
      !context.asOrganizer &&
      seen.attendees?.some((guest) => attendeeKey(guest) === key) === true;
    if (inRemove === undefined) firsts.set(key, index);
    if (earlier !== undefined)
      report.issue(
        [...changesPath, 'remove', index],
        'invalid',
        listedAlready(earlier, inAdd === undefined ? '' : 'add'),
        { index: earlier },
      );
    else if (isOwn) report.refuse([...changesPath, 'remove', index], 'forbidden', ownAddress);
    else removed.add(key);
  }
  return removed;
}
