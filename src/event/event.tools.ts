import { maxLengthOf } from '../core/fields/values.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { type ConferenceMaker, createConferenceMaker } from './conference/create.ts';
import type { EventModel } from './model/model.ts';
import type { Links } from './visibility/event-context.ts';

/** Dependencies of the event service's functions, fixed for its lifetime. */
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
  /** Place in a trace that mails continue; empty outside of a trace. */
  readonly traceparent?: () => string;
}

/** Creates the conference maker of an event. */
export function conferenceMakerFor(
  { signingSecret, links, model }: EventTools,
  eventId: string,
  summary: string | undefined,
): ConferenceMaker {
  const label = model.field('conferenceData').fields.get('entryPoints')?.fields.get('label');
  const maxLabelLength = maxLengthOf(label?.value);
  return createConferenceMaker({ eventId, summary, linkBase: links.call, maxLabelLength }, signingSecret);
}
