import type { DeleteEventArgs } from '../../event/event.requests.ts';
import type { EventResult, EventService } from '../../event/event.service.ts';
import { notOffered } from '../form.ts';
import { type Asked, createAnswers } from './event-answers.ts';
import type { EventParts, UpstreamCalendarParts } from './event-calls.ts';
import { createInsert } from './event-insert.ts';
import { createDelete, createPatch } from './event-patch.ts';
import { createEventReads } from './event-reads.ts';
import { createFollowing } from './follow.ts';
import { createOwnRules } from './own-rules.ts';

/** Changes events of the calendar service on behalf of a viewer. Throws AppError with everything that is wrong. */
function createEventWrites(
  parts: EventParts,
): Pick<EventService, 'insertEvent' | 'patchEvent' | 'deleteEvent'> {
  const rules = createOwnRules(parts);
  const answers = createAnswers(parts, rules);
  const insert = createInsert(parts, rules, answers);
  const patch = createPatch(parts, rules, answers);
  const remove: (asked: Asked<DeleteEventArgs>) => Promise<Omit<EventResult, 'event'>> = createDelete(
    parts,
    answers,
  );
  return {
    insertEvent: (viewer, args, request, selected) => insert({ viewer, args, request, selected }),
    patchEvent: (viewer, args, request, selected) => patch({ viewer, args, request, selected }),
    deleteEvent: (viewer, args, request) => remove({ viewer, args, request }),
  };
}

/** Reads and changes the events of the official API, as the caller. */
export function createUpstreamEventService(parts: UpstreamCalendarParts): EventService {
  return {
    listsInTurn: false,
    ...createEventReads(parts),
    ...createEventWrites(parts),
    ...createFollowing(parts),
    patchFollowingEvents: notOffered,
    deleteFollowingEvents: notOffered,
  };
}
