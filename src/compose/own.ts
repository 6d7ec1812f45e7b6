import type { Config } from '../config.ts';

/** Settings, and whether the gateway keeps anything. */
export interface OwnSettings {
  readonly settings: Config;
  readonly keepsAnything: boolean;
}

/** The settings of what the gateway keeps itself: nothing is stored or sent for a service that it stands in front of. */
export function ownSettings(config: Config): OwnSettings {
  const { calendar, storage } = config.upstream ?? {};
  const keepsAnything = calendar === undefined || storage === undefined;
  return {
    keepsAnything,
    settings: {
      ...config,
      ...(calendar !== undefined && { mail: undefined }),
      ...(storage !== undefined && { brokerUrl: undefined, pubsub: undefined, webhooks: { networks: [] } }),
      ...(!keepsAnything && { databaseUrl: undefined, seedFile: undefined }),
    },
  };
}
