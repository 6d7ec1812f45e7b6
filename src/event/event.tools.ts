import type { Clock } from '../core/runtime/clock.ts';
import type { EventModel } from './model/model.ts';
import type { Links } from './visibility/event-context.ts';

/** Dependencies that all functions of the event service share. They never change while the gateway runs. */
export interface EventTools {
  readonly model: EventModel;
  readonly clock: Clock;
  readonly links: Links & {
    /** Base URL of the calls that conferences link to. */
    readonly call: string;
  };
  /** Key that signs conference data, and seals sync tokens and cursors. */
  readonly signingSecret: string;
  /** Whether guests are notified by mail. */
  readonly sendsMails?: boolean;
  /** W3C traceparent that the mails of a change continue; empty outside of a trace. */
  readonly traceparent?: () => string;
}
