import type { Clock } from '../../core/runtime/clock.ts';
import type { EventTools } from '../../event/event.find.ts';
import type { EventModel } from '../../event/model/model.ts';
import type { Schemas } from '../../official/schema.ts';
import type { UpstreamClient } from '../client/call.ts';

/** What the services over the official Calendar API are put together from. */
export interface UpstreamCalendarParts {
  readonly client: UpstreamClient;
  readonly model: EventModel;
  readonly schemas: Schemas;
  readonly tools: EventTools;
  readonly clock: Clock;
  /** Between two looks at a calendar that streams follow. */
  readonly pollSeconds: number;
}
