import type { Replacements } from '../../src/app.ts';
import { alice, startEventGateway, type Outcome } from '../event/event.harness.ts';

/** Settings that turn channels on, with receivers on loopback. */
export const channelSettings = { CHANNELS: 'on', WEBHOOK_NETWORKS: '127.0.0.0/8', REST: 'on' };

const watchDocument = `mutation ($calendarId: String!, $channel: ChannelInput!) {
  result: watchCalendar(calendarId: $calendarId, channel: $channel) { kind id resourceId address token expiration } }`;
const stopDocument =
  'mutation ($id: String!, $resourceId: String!) { result: stopChannel(id: $id, resourceId: $resourceId) }';

interface WatchOptions {
  readonly as?: string;
  readonly calendarId?: string;
}

export type ChannelGateway = Awaited<ReturnType<typeof startChannelGateway>>;

/** Starts a gateway that may post to loopback. The `event` of an outcome is the result of any operation. */
export async function startChannelGateway(env: Record<string, string> = {}, replacements: Replacements = {}) {
  const gateway = await startEventGateway(replacements, { ...channelSettings, ...env });
  return {
    ...gateway,
    watch: (channel: object, { as = alice, calendarId = as }: WatchOptions = {}): Promise<Outcome> =>
      gateway.run(watchDocument, { calendarId, channel }, as),
    stop: (
      { id, resourceId }: { readonly id: string; readonly resourceId: string },
      as = alice,
    ): Promise<Outcome> => gateway.run(stopDocument, { id, resourceId }, as),
  };
}
