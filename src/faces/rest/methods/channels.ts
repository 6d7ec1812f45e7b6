import { toMethodRows } from '../method.ts';
import { stopChannel, watchEvents } from '../run/channels.ts';
import { calendarId } from './parameters.ts';

/** Methods of the Calendar API for channels. */
export const channelMethods = toMethodRows({
  'calendar.events.watch': {
    route: 'POST calendars/{calendarId}/events/watch',
    operation: 'watchCalendar',
    body: { schema: 'Channel', argument: 'channel' },
    responseSchema: 'Channel',
    run: watchEvents,
    description: 'Posts changes of a calendar to an address.',
    parameters: calendarId,
  },
  'calendar.channels.stop': {
    route: 'POST channels/stop',
    operation: 'stopChannel',
    body: { schema: 'Channel', sources: { id: 'id', resourceId: 'resourceId' } },
    run: stopChannel,
    description: 'Ends a channel.',
    parameters: {},
  },
});
