import type { ChannelService } from '../../channel/channel.service.ts';
import { notOffered } from '../form.ts';

/** The official service posts changes itself. */
export const upstreamChannelService: ChannelService = {
  issuesOf: () => [],
  watchCalendar: notOffered,
  stopChannel: notOffered,
};
