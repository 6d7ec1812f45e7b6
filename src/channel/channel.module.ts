import { type ResourceModule, write } from '../operations/operation.ts';
import type { StopChannelArgs, WatchCalendarArgs } from './channel.requests.ts';
import type { ChannelService } from './channel.service.ts';

export function createChannelModule(service: ChannelService) {
  return {
    operations: {
      watchCalendar: write(
        (args: WatchCalendarArgs, context) => service.watchCalendar(context.caller(), args),
        ({ channel }) => channel,
        ({ channel }) => (channel ? service.issuesOf(channel) : []),
      ),
      stopChannel: write(
        async (args: StopChannelArgs, context) => ({
          stopped: await service.stopChannel(context.caller(), args),
          warnings: [],
        }),
        ({ stopped }) => stopped,
      ),
    },
  } satisfies ResourceModule;
}
