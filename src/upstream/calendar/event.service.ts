import type { ChannelService } from '../../channel/channel.service.ts';
import type { EventService } from '../../event/event.service.ts';
import { rejectNotOffered } from '../field-mappings.ts';
import { createWriteSteps } from './event-write-steps.ts';
import type { CalendarDependencies } from './event-calls.ts';
import { createImport, createInsert } from './event-insert.ts';
import { createMove } from './event-move.ts';
import { createDelete, createPatch } from './event-patch.ts';
import { createEventReads } from './event-reads.ts';
import { createCalendarStreams } from './calendar-streams.ts';
import { createGatewayRules } from './gateway-rules.ts';

/** Creates the service that reads and writes events of the official API with the caller's token. */
export function createUpstreamEventService(dependencies: CalendarDependencies): EventService {
  const rules = createGatewayRules(dependencies);
  const writeSteps = createWriteSteps(dependencies, rules);
  const insert = createInsert(dependencies, rules, writeSteps);
  const patch = createPatch(dependencies, rules, writeSteps);
  const remove = createDelete(dependencies, writeSteps);
  const importBody = createImport(dependencies, rules, writeSteps);
  const move = createMove(dependencies, writeSteps);
  return {
    needsSerialLists: false,
    ...createEventReads(dependencies),
    importEvent: (viewer, args, request) => importBody({ viewer, args, request }),
    moveEvent: (viewer, args, request) => move({ viewer, args, request }),
    insertEvent: (viewer, args, request, selected) => insert({ viewer, args, request, selected }),
    patchEvent: (viewer, args, request, selected) => patch({ viewer, args, request, selected }),
    deleteEvent: (viewer, args, request) => remove({ viewer, args, request }),
    ...createCalendarStreams(dependencies),
    patchFollowingEvents: rejectNotOffered,
    deleteFollowingEvents: rejectNotOffered,
    importCalendar: rejectNotOffered,
  };
}

/** Offers no channels, because the official service posts changes itself. */
export const upstreamChannelService: ChannelService = {
  issuesOf: () => [],
  watchCalendar: rejectNotOffered,
  stopChannel: rejectNotOffered,
};
