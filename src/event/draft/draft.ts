import type { Changing } from '../../core/fields/changes.ts';
import type { Support } from '../event.requests.ts';
import type { Found } from '../event.store.ts';
import type { EventBody, EventPatch } from '../model/fields.ts';
import { noParts, type EventCopy, type EventParts, type EventRecord } from '../model/record.ts';
import type { GuestChange } from './guest-change.ts';
import { inStoredForm } from './stored-form.ts';
import type { ConferenceMaker } from '../conference/conference-maker.ts';
import type { EventView } from '../view/event-view.ts';
import type { TimeTools } from '../recurrence/stored-lines.ts';
import type { Viewpoint } from '../view/viewpoint.ts';

/** A write on its way: each step reads what the steps before it left, and adds its own. */
export interface Draft extends Changing {
  readonly at: Viewpoint;
  /** How the rules validate it. */
  readonly mode: 'patch' | 'instance' | 'insert';
  /** Body as the client sent it. */
  readonly sent: EventPatch;
  /** Body in the form in which events are stored. */
  readonly body: EventPatch;
  readonly support: Support;
  readonly guestCalendars: Found['guests'];
  readonly conference: ConferenceMaker;
  /** The event as the caller sees it. */
  readonly seen: EventView;
  readonly before: EventParts;
  /** normalize: what is left of the body to be merged, in the form in which it is stored. */
  change: Record<string, unknown>;
  /** normalize: what becomes of the guest list. */
  guests: GuestChange | undefined;
  /** normalize: fields that are replaced as a whole instead of being merged. */
  replacements: Pick<EventBody, 'conferenceData' | 'callLink'> | undefined;
  /** normalize: the conference that the rules are held against, as the client sees it. */
  validatedConference: EventBody['conferenceData'];
  /** normalize: what `status` makes of the copy. */
  state: EventCopy['state'];
  /** merge: the parts with the change in them. */
  after: EventParts;
  /** By name of a list that was put together here: at which index the client sent each entry. */
  readonly sentIndexes: Map<string, readonly number[]>;
  /** Exceptions of the series that is changed. */
  readonly exceptions: readonly EventRecord[];
  /** moveLines: cancelled instances of the series become dates that its lines exclude. */
  excludesCancelled: boolean;
}

interface Facts extends Pick<
  Draft,
  'at' | 'creating' | 'support' | 'guestCalendars' | 'conference' | 'report' | 'sentIndexes'
> {
  readonly body: EventPatch;
  readonly times: TimeTools;
  readonly exceptions?: Draft['exceptions'];
}

/** A draft against an event that somebody has seen already. */
export function openDraft(
  {
    at,
    creating,
    body,
    support,
    guestCalendars,
    conference,
    report,
    sentIndexes,
    times,
    exceptions = [],
  }: Facts,
  seen: EventView,
): Draft {
  const before = creating ? noParts : at.parts;
  // Each by its name: with those given as a rest this took as long as all checks.
  return {
    at,
    creating,
    sent: body,
    body: inStoredForm(body, {
      seen: creating ? {} : seen,
      zone: at.calendar.timeZone,
      tools: times,
      path: ['event'],
      report,
      sentIndexes,
    }),
    support,
    guestCalendars,
    conference,
    report,
    sentIndexes,
    before,
    seen,
    mode: creating ? 'insert' : 'patch',
    change: {},
    changedFields: [],
    unapplied: [],
    guests: undefined,
    replacements: undefined,
    validatedConference: undefined,
    state: at.copy.state,
    after: before,
    exceptions,
    excludesCancelled: false,
  };
}

/** The whole event before and after, as rules read it. */
export const wholeBefore = ({ at, before }: Draft): EventBody => at.model.whole(before);
export const wholeAfter = ({ at, after }: Draft): EventBody => at.model.whole(after);
