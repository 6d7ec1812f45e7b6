import { longestOf } from '../core/fields/values.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { ConferenceMaker } from './conference/conference-maker.ts';
import { createConference } from './conference/create.ts';
import { isSigned, signConference } from './conference/signature.ts';
import type { EventModel } from './model/model.ts';
import type { Links } from './view/viewpoint.ts';

/** What working with events needs from outside, fixed for the service's life. */
export interface EventTools {
  readonly model: EventModel;
  readonly clock: Clock;
  readonly links: Links & {
    /** The base of the links of calls. */
    readonly call: string;
  };
  /** The key of the signatures on conference data, sync tokens and cursors. */
  readonly signingSecret: string;
  /** Guests are told by mail. */
  readonly mails?: boolean;
  /** The place in a trace from which on mails are sent; empty outside of one. */
  readonly place?: () => string;
}

const longestLabelOf = ({ field }: EventModel): number =>
  longestOf(field('conferenceData').fields.get('entryPoints')?.fields.get('label')?.value);

/** Conferences for one event, signed with the server's key. */
export function conferencesFor(
  { signingSecret, links, model }: EventTools,
  eventId: string,
  summary: string | undefined,
): ConferenceMaker {
  const sign = (conference: Parameters<typeof signConference>[0]): string =>
    signConference(conference, signingSecret);
  return {
    isSigned: (conference) => isSigned(conference, signingSecret),
    sign,
    create: (request) =>
      createConference(
        request,
        { eventId, summary, linkBase: links.call, longestLabel: longestLabelOf(model) },
        sign,
      ),
  };
}
