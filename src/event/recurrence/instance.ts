import { withoutNulls } from '../../core/patch.ts';
import type { EventPatch, EventTime } from '../model/fields.ts';
import type { EventCopy, EventRecord } from '../model/record.ts';
import { instantOf, kindOf } from '../time/time.ts';
import type { Draft } from '../write/draft.ts';

/**
 * The rules for a new event that is an instance of a recurring one (event resource, section 2): its series is shown on
 * the same calendar and recurs, the time it takes the place of is given, and it shares the series' iCalUID.
 */
export function checkInstance({ body, at, report }: Draft, series: EventRecord | undefined): void {
  const original = timeOf(body.originalStartTime);
  if (typeof body.recurringEventId !== 'string') {
    if (!original) return;
    const message = 'The originalStartTime goes with recurringEventId: it tells which instance of a recurring event this is.';
    return report.issue(['event', 'originalStartTime'], 'invalid', message);
  }
  const copy = series?.copies[at.calendar.id];
  const shown = series && copy && isSeries(series, copy) ? series : undefined;
  if (!shown) {
    const message = 'The recurringEventId must be the id of a recurring event on the same calendar that is not cancelled.';
    report.issue(['event', 'recurringEventId'], 'invalid', message);
  } else if (!mayAdd(shown, at.organizer)) {
    const message = 'Only the organizer of a recurring event can add to it, unless guestsCanModify is true.';
    report.refuse(['event', 'recurringEventId'], 'forbiddenForNonOrganizer', message);
  }
  const [kind, needed] = [kindOf(original), kindOf(shown?.core.start)];
  if (!original) {
    const message = 'The originalStartTime is required for an instance: the start it has in the recurring event.';
    report.issue(['event', 'originalStartTime'], 'required', message);
  } else if (kind && needed && kind !== needed) {
    report.issue(['event', 'originalStartTime'], 'invalid', `The originalStartTime must have a ${needed}, as the start of the recurring event has.`);
  }
  const id = instanceId(body);
  if (typeof body.id === 'string' && id !== undefined && body.id !== id) {
    report.issue(['event', 'id'], 'invalid', `This instance has the id ${id}: leave it out, or send that one.`);
  }
  if (shown && typeof body.iCalUID === 'string' && body.iCalUID !== shown.core.iCalUID) {
    report.issue(['event', 'iCalUID'], 'invalid', 'All instances of a recurring event share its iCalUID: leave it out.');
  }
}

const isSeries = ({ core }: EventRecord, { state }: EventCopy): boolean =>
  core.status !== 'cancelled' && state === 'present' && (core.recurrence ?? []).length > 0;

/** `organizer` is the key of who makes the instance. */
function mayAdd({ core }: EventRecord, organizer: string | undefined): boolean {
  const email = core.organizer?.email;
  return email === undefined || core.guestsCanModify === true || email.toLowerCase() === organizer;
}

function timeOf(time: EventPatch['originalStartTime']): EventTime | undefined {
  const given = withoutNulls(time ?? {}) as EventTime;
  return Object.keys(given).length > 0 ? given : undefined;
}

/** The id of the instance that a body describes: that of its series and its original start, so that there is one of each. */
export function instanceId({ recurringEventId, originalStartTime }: EventPatch): string | undefined {
  const time = timeOf(originalStartTime);
  if (typeof recurringEventId !== 'string' || !time) return undefined;
  if (time.date !== undefined) return `${recurringEventId}_${time.date.replaceAll('-', '')}`;
  const instant = instantOf(time, '');
  return instant === null ? undefined : `${recurringEventId}_${new Date(instant).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}
