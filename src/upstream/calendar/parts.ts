import type { Clock } from '../../core/runtime/clock.ts';
import type { EventTools } from '../../event/event.find.ts';
import type { EventModel } from '../../event/model/model.ts';
import type { Schemas } from '../../official/schema.ts';
import type { UpstreamClient } from '../client/call.ts';

/** What the events of the calendar service are worked with. */
export interface EventParts {
  readonly client: UpstreamClient;
  readonly model: EventModel;
  readonly schemas: Schemas;
  readonly tools: EventTools;
  readonly clock: Clock;
}

/** A resource as the service answers it. */
export type Json = Readonly<Record<string, unknown>>;
