import { alice, bob, carol, popupReminder, rita, wanda } from '../event/event.harness.ts';
import {
  fieldChanges,
  invalidBodies,
  patchBodies,
  randomResponse,
  type SeriesStart,
  randomAttendeeChanges,
  randomGuests,
  randomRules,
  randomTimes,
  randomOriginalStart,
  toOriginalStartTime,
} from './bodies.ts';
import { calendarOwners } from './cast.ts';
import { randomViewArgs } from './event-reads.ts';
import { organizerOf, makeRequest } from './operation.ts';
import type { Args, CallerRef, History, MakeRequest, Request } from './operation.ts';
import type { CalendarReference, EventReference } from './references.ts';
import { randomEvent, pickCaller, writerWeights } from './roles.ts';
import type { Random, Weighted } from './seed.ts';

export const insertEvent: MakeRequest = (random) => {
  const owner = random.pickWeighted([
    [6, alice],
    [2, bob],
    [1, random.pick(calendarOwners)],
  ]);
  const asWriter = random.chance(0.25) ? { as: wanda, calendarId: owner } : undefined;
  return insertEventOn(random, owner, asWriter ?? { as: owner, calendarId: 'primary' });
};

/** Inserts an event on a calendar of its owner, possibly a created one (`home`). */
export function insertEventOn(
  random: Random,
  owner: string,
  caller: CallerRef,
  home?: CalendarReference,
): readonly Request[] {
  const isSeries = random.chance(0.5);
  const { body, seriesStart } = randomTimes(random, isSeries);
  const guestList = randomGuests(random);
  const isInvalid = random.chance(0.05);
  const bodyParts = Array.from({ length: random.integerBelow(4) }, () =>
    random.pickWeighted(fieldChanges)(random),
  );
  const event = {
    ...body,
    ...(isSeries && { recurrence: randomRules(random, seriesStart) }),
    ...(random.chance(0.8) && { attendees: guestList }),
    ...(Object.assign({}, ...bodyParts) as object),
    ...(random.chance(0.25) && { guestsCanSeeOtherGuests: false }),
    ...(random.chance(0.08) && { status: random.pick(['tentative', 'cancelled']) }),
    ...(random.chance(0.03) && { privateCopy: true }),
    ...(random.chance(0.1) &&
      random.pick([
        { id: `chosen${random.integerBelow(5)}` },
        { iCalUID: `chosen-${random.integerBelow(5)}` },
      ])),
    ...(isInvalid && random.pickWeighted(invalidBodies)(random)),
  };
  const args: Args = {
    event,
    ...randomControlArgs(random),
    ...(random.chance(0.1) && { requestId: `request ${random.integerBelow(20)}` }),
  };
  const createdEvent = {
    owner,
    ...(home && { home }),
    guests: guestList.map(({ email }) => String(email).toLowerCase()),
    ...(isSeries && { series: seriesStart }),
  };
  const creation = !isInvalid && isStored(args) ? { creates: createdEvent } : {};
  return [{ ...makeRequest(caller, 'insertEvent', args), ...creation }];
}

const insertInstance: MakeRequest = (random, history) => {
  const { created } = randomEvent(random, history);
  const { as, calendarId } = pickCaller(random, created, writerWeights);
  const event = {
    recurringEventId: { $event: created.step },
    originalStartTime: toOriginalStartTime(randomOriginalStart(random, created.series ?? defaultSeriesStart)),
    ...(random.chance(0.2) ? { status: 'cancelled' } : randomTimes(random, random.chance(0.3)).body),
    ...(random.chance(0.3) && { attendees: randomGuests(random) }),
    ...random.pickWeighted(fieldChanges)(random),
  };
  return [makeRequest({ as, calendarId }, 'insertEvent', { event, ...randomControlArgs(random) })];
};

const patchEvent: MakeRequest = (random, history) => {
  const { created, eventId } = randomEvent(random, history);
  const caller = pickCaller(random, created, writerWeights);
  const bodyParts = Array.from({ length: random.chance(0.75) ? 1 : 2 }, () =>
    random.pickWeighted(patchBodies)(random, eventId, caller.as, created.series ?? defaultSeriesStart),
  );
  const event = Object.assign({}, ...bodyParts) as object;
  const args = { eventId, ...randomIfMatch(random, eventId), ...randomControlArgs(random), event };
  return withReadBefore(random, makeRequest(caller, 'patchEvent', args));
};

/** Changes guests by `attendeeChanges`, rarely together with other changes. */
const changeAttendees: MakeRequest = (random, history) => {
  const { created, eventId } = randomEvent(random, history);
  const caller = pickCaller(random, created, writerWeights);
  const event = random.chance(0.8)
    ? {}
    : random.pickWeighted(patchBodies)(random, eventId, caller.as, created.series ?? defaultSeriesStart);
  const args = { eventId, ...randomIfMatch(random, eventId), ...randomControlArgs(random), event };
  const attendeeChanges = randomAttendeeChanges(random, caller.as);
  return withReadBefore(random, makeRequest(caller, 'patchEvent', { ...args, attendeeChanges }));
};

/** Sends back an event as last shown, with or without a change and its nulls. */
const patchWithShownEvent: MakeRequest = (random, history) => {
  const { created, eventId } = randomEvent(random, history);
  const supportArgs = random.chance(0.7) ? { supportsAttachments: true, conferenceDataVersion: 1 } : {};
  const overrides = random.chance(0.7) ? {} : { summary: random.pick(['Plan', 'Sent back']) };
  const event = { $shown: eventId, nulls: random.chance(0.7), but: overrides };
  const caller = pickCaller(random, created, writerWeights);
  const args = {
    eventId,
    event,
    ...randomIfMatch(random, eventId),
    ...supportArgs,
    ...randomNotifyArgs(random),
  };
  return withReadBefore(random, makeRequest(caller, 'patchEvent', args));
};

/** Moves an event to another calendar, mostly by its creator; a move is sometimes repeated or taken back. */
const moveEvent: MakeRequest = (random, history) => {
  const { created, eventId } = randomEvent(random, history);
  const source = random.chance(0.7) ? (created.home ?? created.owner) : random.pick(calendarOwners);
  const destination = random.pick(calendarOwners);
  const args = {
    eventId,
    destination,
    ...randomNotifyArgs(random),
    ...(random.chance(0.1) && { validateOnly: true }),
  };
  const caller = random.chance(0.8)
    ? { as: wanda, calendarId: source }
    : pickCaller(random, created, writerWeights);
  const move = makeRequest(caller, 'moveEvent', args);
  return [
    move,
    ...(random.chance(0.2) ? [move] : []),
    ...(random.chance(0.3)
      ? [makeRequest({ ...caller, calendarId: destination }, 'moveEvent', { ...args, destination: source })]
      : []),
  ];
};

/** Imports one of a few events of other calendars, or an instance of one, again and again. */
const importEvent: MakeRequest = (random) => {
  const owner = random.pick([alice, bob, carol]);
  const importNumber = random.integerBelow(6);
  const isSeries = importNumber < 3;
  const isForeign = importNumber % 2 === 0;
  const { body, seriesStart } = randomTimes(random, isSeries);
  const guestList = randomGuests(random);
  const isInstance = isSeries && random.chance(0.5);
  const event = {
    ...body,
    iCalUID: `imported-${importNumber}`,
    ...(isForeign && { organizer: { email: 'host@elsewhere.example' } }),
    ...(isInstance
      ? { originalStartTime: toOriginalStartTime(randomOriginalStart(random, seriesStart)) }
      : isSeries && { recurrence: randomRules(random, seriesStart) }),
    ...(random.chance(0.7) && { attendees: guestList }),
    ...random.pickWeighted(fieldChanges)(random),
    ...(random.chance(0.3) && { sequence: random.integerBelow(4) }),
    ...(random.chance(0.1) && { status: 'cancelled' }),
    ...(random.chance(0.2) && { guestsCanModify: true }),
    ...(random.chance(0.1) && { guestsCanSeeOtherGuests: false }),
  };
  const args: Args = {
    event,
    ...(random.chance(0.1) && { requestId: `request ${random.integerBelow(20)}` }),
  };
  const caller = random.chance(0.3) ? { as: wanda, calendarId: owner } : { as: owner, calendarId: 'primary' };
  const guests = guestList.map(({ email }) => String(email).toLowerCase());
  const creates = isInstance
    ? {}
    : { creates: { owner, guests, isForeign, ...(isSeries && { series: seriesStart }) } };
  return [{ ...makeRequest(caller, 'importEvent', args), ...creates }];
};

const deleteEvent: MakeRequest = (random, history) => {
  const { created, eventId } = randomEvent(random, history);
  const caller = pickCaller(random, created, writerWeights);
  const args = { eventId, ...randomIfMatch(random, eventId), ...randomNotifyArgs(random) };
  return withReadBefore(random, makeRequest(caller, 'deleteEvent', args));
};

const listCreatedSeries = ({ events }: History) =>
  events.flatMap((created) => (created.series ? [{ created, starts: created.series }] : []));

/** Patches or deletes an instance and the following ones; the following part counts as a created event. */
const changeFollowing: MakeRequest = (random, history) => {
  const series = listCreatedSeries(history);
  if (series.length === 0) return [];
  const { created, starts } = random.pick(series);
  const eventId = { $event: created.step, at: randomOriginalStart(random, starts) };
  const caller = random.chance(0.85) ? organizerOf(created) : pickCaller(random, created, writerWeights);
  if (random.chance(0.25)) {
    const args = { eventId, ...randomIfMatch(random, eventId), ...randomNotifyArgs(random) };
    return withReadBefore(random, makeRequest(caller, 'deleteFollowingEvents', args));
  }
  const renameChange = { summary: 'From here on' };
  const event = random.pickWeighted<() => object>([
    [3, () => ({})],
    [4, () => random.pickWeighted(patchBodies)(random, eventId, caller.as, starts)],
    [3, () => ({ $shown: eventId, nulls: random.chance(0.7), but: random.chance(0.5) ? {} : renameChange })],
  ])();
  const args: Args = {
    eventId,
    ...randomIfMatch(random, eventId),
    ...randomControlArgs(random),
    event,
    ...(random.chance(0.1) && { requestId: `request ${random.integerBelow(20)}` }),
  };
  return withReadBefore(random, {
    ...makeRequest(caller, 'patchFollowingEvents', args),
    ...(isStored(args) && { creates: { ...created, series: starts } }),
  });
};

/** Adds a guest to an instance, which gets its own list, and then another guest to the series. */
const inviteToInstanceThenSeries: MakeRequest = (random, history) => {
  const series = listCreatedSeries(history);
  if (series.length === 0) return [];
  const { created, starts } = random.pick(series);
  const [step, caller] = [created.step, organizerOf(created)];
  const invite = (eventId: EventReference, email: string): Request[] => {
    const event = { attendees: { $guestsOf: eventId, as: 'with', entry: { email } } };
    return [makeRequest(caller, 'event', { eventId }), makeRequest(caller, 'patchEvent', { eventId, event })];
  };
  const instance = { $event: step, at: randomOriginalStart(random, starts) };
  return [
    ...invite(instance, `later${random.integerBelow(9)}@elsewhere.example`),
    ...invite({ $event: step }, random.pick(calendarOwners)),
  ];
};

/** Removes a guest from a series, invites the guest to one instance, and sometimes to the series again. */
const removeAndReinvite: MakeRequest = (random, history) => {
  const series = listCreatedSeries(history);
  if (series.length === 0) return [];
  const { created, starts } = random.pick(series);
  const [step, email] = [created.step, random.pick(calendarOwners)];
  const patchGuests = (eventId: EventReference, attendeeChanges: object): Request => {
    const args = { eventId, attendeeChanges, event: {}, ...randomNotifyArgs(random) };
    return makeRequest(organizerOf(created), 'patchEvent', args);
  };
  return [
    ...(random.chance(0.5) ? [patchGuests({ $event: step }, { add: [{ email }] })] : []),
    patchGuests({ $event: step }, { remove: [email] }),
    patchGuests({ $event: step, at: randomOriginalStart(random, starts) }, { add: [{ email }] }),
    ...(random.chance(0.3) ? [patchGuests({ $event: step }, { add: [{ email }] })] : []),
  ];
};

/** Rita, a reader of Alice's and Bob's calendars, is invited to their events with hidden guests, responds, or is removed. */
export const inviteReader: MakeRequest = (random, history) => {
  const events = history.events.filter(({ owner }) => owner === alice || owner === bob);
  if (events.length === 0) return [];
  const { created, eventId } = randomEvent(random, { ...history, events });
  const patchGuests = (caller: CallerRef, event: object, attendeeChanges?: object): Request =>
    makeRequest(caller, 'patchEvent', { eventId, event, attendeeChanges, ...randomNotifyArgs(random) });
  const ownCaller = { as: rita, calendarId: 'primary' };
  const hiddenGuests = { guestsCanSeeOtherGuests: false };
  return [
    random.pickWeighted<() => Request>([
      [
        4,
        () =>
          patchGuests(organizerOf(created), random.chance(0.5) ? hiddenGuests : {}, {
            add: [{ email: rita }],
          }),
      ],
      [1, () => patchGuests(organizerOf(created), {}, { remove: [rita] })],
      [2, () => makeRequest(ownCaller, 'deleteEvent', { eventId })],
      [4, () => patchGuests(ownCaller, { status: random.pick(['cancelled', 'confirmed']) })],
      [
        1,
        () => patchGuests(ownCaller, { attendeesOmitted: true, attendees: [randomResponse(random, rita)] }),
      ],
    ])(),
  ];
};

/** Moves a single event to a mostly empty day in November, before all other events. */
export const moveToNovember: MakeRequest = (random, { events }) => {
  const singleEvents = events.filter(({ series }) => !series);
  if (singleEvents.length === 0) return [];
  const created = random.pick(singleEvents);
  const day = String(1 + random.integerBelow(28)).padStart(2, '0');
  const timeAt = (hour: number): object => ({ date: null, dateTime: `2026-11-${day}T${hour}:00:00Z` });
  const args = { eventId: { $event: created.step }, event: { start: timeAt(10), end: timeAt(11) } };
  return [makeRequest(organizerOf(created), 'patchEvent', args)];
};

/** Several callers set their own reminders on one instance. */
const setReminders: MakeRequest = (random, history) => {
  const events = history.events.filter(({ series }) => series);
  if (events.length === 0) return [];
  const { created, eventId } = randomEvent(random, { ...history, events });
  return Array.from({ length: 3 }, () => {
    const event = { reminders: popupReminder(random.integerBelow(9)) };
    return makeRequest(pickCaller(random, created, writerWeights), 'patchEvent', { eventId, event });
  });
};

/** Reads the event before a request that refers to it, except sometimes, to send back outdated data. */
function withReadBefore(random: Random, request: Request): readonly Request[] {
  const { as, args } = request;
  if (!/"\$(shown|etagOf|guestsOf)"/.test(JSON.stringify(args)) || random.chance(0.15)) return [request];
  return [{ name: 'event', as, args: { calendarId: args.calendarId, eventId: args.eventId } }, request];
}

const randomNotifyArgs = (random: Random): Args => ({
  ...(random.chance(0.45) && { sendUpdates: random.pick(['all', 'externalOnly', 'none']) }),
  ...(random.chance(0.05) && { sendNotifications: true }),
});

const randomControlArgs = (random: Random): Args => ({
  ...randomNotifyArgs(random),
  ...randomViewArgs(random),
  ...(random.chance(0.06) && { validateOnly: true }),
  ...(random.chance(0.3) && { supportsAttachments: true }),
  ...(random.chance(0.3) && { conferenceDataVersion: random.chance(0.95) ? 1 : 2 }),
});

/** Whether an insert with these control arguments is stored. */
const isStored = ({ validateOnly, maxAttendees, conferenceDataVersion }: Args): boolean =>
  validateOnly !== true && maxAttendees !== 0 && conferenceDataVersion !== 2;

const randomIfMatch = (random: Random, event: EventReference): Args => {
  const conditions: Weighted<unknown> = [
    [5, { $etagOf: event }],
    [1, '*'],
    [1, '"other"'],
    [1, 'other'],
  ];
  return random.chance(0.2) ? { ifMatch: random.pickWeighted(conditions) } : {};
};

const defaultSeriesStart: SeriesStart = { isDay: false, day: 1, hour: 9 };

export const eventWrites: Weighted<MakeRequest> = [
  [5, insertEvent],
  [4, insertInstance],
  [34, patchEvent],
  [8, changeAttendees],
  [5, patchWithShownEvent],
  [4, deleteEvent],
  [4, moveEvent],
  [4, importEvent],
  [6, changeFollowing],
  [2, inviteToInstanceThenSeries],
  [3, removeAndReinvite],
  [1, setReminders],
];
