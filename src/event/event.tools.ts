import type { Clock } from '../core/clock.ts';
import type { ConferenceContext } from './conference-apply.ts';
import { createConference } from './conference-create.ts';
import { isSigned, signConference } from './conference-signature.ts';
import type { Links } from './copies.ts';
import type { GuestPlace } from './event.parts.ts';

/** What working out a change needs from outside, fixed for the service's life. */
export interface EventTools {
  readonly clock: Clock;
  readonly links: Links & {
    /** The base of the links of calls. */
    readonly call: string;
  };
  /** The key of the signatures on conference data. */
  readonly signingSecret: string;
}

/** And for one change: where guests' copies go. */
export type GuestPlaces = ReadonlyMap<string, GuestPlace>;

/** Conferences for one event, signed with the server's key. */
export function conferencesFor(tools: EventTools, eventId: string, summary: string | undefined): ConferenceContext {
  const { signingSecret, links } = tools;
  return {
    isSigned: (conference) => isSigned(conference, signingSecret),
    create: (request) =>
      createConference(request, { eventId, summary, linkBase: links.call }, (made) => signConference(made, signingSecret)),
  };
}
