import { forCaller, type ResourceModule, write, writeValue } from '../operations/operation.ts';
import type { ChannelService } from './channel.service.ts';

export function createChannelModule(service: ChannelService) {
  return {
    operations: {
      watchCalendar: write(
        forCaller(service.watchCalendar),
        ({ channel }) => channel,
        ({ channel }) => (channel ? service.issuesOf(channel) : []),
      ),
      stopChannel: writeValue(forCaller(service.stopChannel)),
    },
  } satisfies ResourceModule;
}
