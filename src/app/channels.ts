import { createAddressRules } from '../adapters/webhook/agent.ts';
import { createChannelPoster } from '../adapters/webhook/channel-poster.ts';
import { findUrlProblem } from '../adapters/webhook/url.ts';
import type { ChannelPoster, ChannelReport } from '../channel/channel.store.ts';
import type { Config } from '../config.ts';
import type { DeliveryReport } from '../outbox/delivery-report.ts';
import type { OutboxItem } from '../outbox/outbox.store.ts';

/** Connection of channels to their receivers and to operators. */
export interface ChannelOutlet {
  readonly poster: ChannelPoster;
  readonly report: ChannelReport;
  readonly isAllowedAddress: (address: string) => boolean;
}

/** Opens the outlet of channels. Their addresses obey the rules of webhooks. */
export function openChannelOutlet(
  { webhooks }: Pick<Config, 'webhooks'>,
  report: Pick<DeliveryReport, 'delivered' | 'failed' | 'refused'>,
): ChannelOutlet {
  const rules = createAddressRules(webhooks.networks);
  return {
    poster: createChannelPoster({ rules }),
    report: {
      delivered: () => report.delivered(destination, itemFor('')),
      failed: (host, cause) => report.failed(destination, itemFor(host), cause),
      dropped: (host, cause) => report.refused(destination, itemFor(host), cause),
    },
    isAllowedAddress: (address) =>
      /^[\x21-\x7e]+$/.test(address) &&
      URL.canParse(address) &&
      findUrlProblem(new URL(address), address, rules) === undefined,
  };
}

const destination = 'channel';

/** Message of a channel as reports show it: by its host alone. */
const itemFor = (host: string): OutboxItem => ({ id: '', orderingKey: '', attributes: { host }, data: '' });
