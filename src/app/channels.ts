import { createAddressRules, findUrlProblem } from '../adapters/webhook/address-rules.ts';
import { createChannelPoster } from '../adapters/webhook/channel-poster.ts';
import type { ChannelReport } from '../channel/channel.store.ts';
import type { Config } from '../config.ts';
import type { DeliveryReport } from '../outbox/delivery-report.ts';
import type { OutboxItem } from '../outbox/outbox.store.ts';

/** Connection of channels to their receivers and to operators. */
export type ChannelOutlet = ReturnType<typeof openChannelOutlet>;

/** Opens the outlet of channels. Their addresses obey the rules of webhooks. */
export function openChannelOutlet(
  { webhooks }: Pick<Config, 'webhooks'>,
  report: Pick<DeliveryReport, 'delivered' | 'failed' | 'refused'>,
) {
  const rules = createAddressRules(webhooks.networks);
  const channelReport: ChannelReport = {
    delivered: () => report.delivered(channelDestination, reportItemOf('')),
    failed: (host, cause) => report.failed(channelDestination, reportItemOf(host), cause),
    dropped: (host, cause) => report.refused(channelDestination, reportItemOf(host), cause),
  };
  return {
    poster: createChannelPoster({ rules }),
    report: channelReport,
    isAllowedAddress: (address: string): boolean =>
      // Visible ASCII without blanks.
      /^[\x21-\x7e]+$/.test(address) &&
      URL.canParse(address) &&
      findUrlProblem(new URL(address), address, rules) === undefined,
  };
}

/** Name of the destination under which reports count the messages of channels. */
const channelDestination = 'channel';

/** Message of a channel as reports show it: by its host alone. */
const reportItemOf = (host: string): OutboxItem => ({
  id: '',
  orderingKey: '',
  attributes: { host },
  data: '',
});
