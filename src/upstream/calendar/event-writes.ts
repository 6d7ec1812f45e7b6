import type { DeleteEventArgs } from '../../event/event.requests.ts';
import type { EventResult, EventService } from '../../event/event.service.ts';
import { createAnswers, type Asked } from './event-answers.ts';
import { createDelete } from './event-delete.ts';
import { createInsert } from './event-insert.ts';
import { createPatch } from './event-patch.ts';
import { createOwnRules } from './own-rules.ts';
import type { EventParts } from './parts.ts';

/** Changes events of the calendar service on behalf of a viewer. Throws AppError with everything that is wrong. */
export function createEventWrites(
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
