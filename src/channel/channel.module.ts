import { type ResourceModule, write, writeValue } from '../operations/operation.ts';
import type { ChannelService } from './channel.service.ts';

export function createChannelModule(service: ChannelService) {
  return {
    operations: {
      watchCalendar: write(
        service.watchCalendar,
        ({ channel }) => channel,
        ({ channel }) => (channel ? service.issuesOf(channel) : []),
      ),
      stopChannel: writeValue(service.stopChannel),
    },
  } satisfies ResourceModule;
}
