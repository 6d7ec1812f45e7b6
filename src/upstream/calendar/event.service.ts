import type { ChannelService } from '../../channel/channel.service.ts';
import type { EventService } from '../../event/event.service.ts';
import { rejectNotOffered } from '../errors.ts';
import type { CalendarDependencies } from './calendars.ts';
import { createDelete, createMove, createPatch } from './event-changes.ts';
import { createImport, createInsert } from './event-insert.ts';
import { createEventReads } from './event-reads.ts';
import { createWriteSteps } from './event-write-steps.ts';
import { createCalendarStreams } from './calendar-streams.ts';
import { createGatewayRules } from './gateway-rules.ts';

/** Creates the service that reads and writes events of the official API with the caller's token. */
export function createUpstreamEventService(dependencies: CalendarDependencies): EventService {
  const rules = createGatewayRules(dependencies);
  const writeDependencies = { ...dependencies, rules, ...createWriteSteps(dependencies, rules) };
  return {
    needsSerialLists: false,
    ...createEventReads(dependencies),
    importEvent: createImport(writeDependencies),
    moveEvent: createMove(writeDependencies),
    insertEvent: createInsert(writeDependencies),
    patchEvent: createPatch(writeDependencies),
    deleteEvent: createDelete(writeDependencies),
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
