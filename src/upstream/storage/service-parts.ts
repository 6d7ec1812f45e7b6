import type { Clock } from '../../core/runtime/clock.ts';
import type { Schemas } from '../../official/schema.ts';
import type { UpstreamClient } from '../client/call.ts';

/** What the services over the official Storage API are put together from. */
export interface UpstreamStorageParts {
  readonly client: UpstreamClient;
  readonly schemas: Schemas;
  readonly clock: Clock;
  /** What cursors are sealed with. */
  readonly signingSecret: string;
  /** Host of topics that are given without one. */
  readonly pubsubHost: string;
  /** Host of self links. */
  readonly storageHost: string;
}
