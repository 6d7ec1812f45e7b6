import { alice, bob, popup, rita, wanda } from '../event/event.harness.ts';
import {
  answer,
  attendeeChanges,
  changes,
  faults,
  fields,
  guests,
  originalOf,
  originalTime,
  rules,
  times,
  type Starts,
} from './bodies.ts';
import { hosts } from './cast.ts';
import { presentation } from './event-reads.ts';
import { organizerOf, requestBy, type Args, type AskedSeat, type Make, type Request } from './operation.ts';
import type { CalendarReference, EventReference } from './references.ts';
import { anyEvent, seatOn, writers } from './seats.ts';
import type { Random, Weighted } from './seed.ts';

export const insertEvent: Make = (random) => {
  const owner = random.weighted([
    [6, alice],
    [2, bob],
    [1, random.pick(hosts)],
  ]);
  return insertOn(
    random,
    owner,
    random.chance(0.1) ? { as: wanda, calendarId: owner } : { as: owner, calendarId: 'primary' },
  );
};

/** An event is made by somebody on a calendar of its owner's, which may be one that was made. */
export function insertOn(
  random: Random,
  owner: string,
  seat: AskedSeat,
  home?: CalendarReference,
): readonly Request[] {
  const isSeries = random.chance(0.5);
  const { body, starts } = times(random, isSeries);
  const list = guests(random);
  const isFaulty = random.chance(0.05);
  const parts = Array.from({ length: random.below(4) }, () => random.weighted(fields)(random));
  const event = {
    ...body,
    ...(isSeries && { recurrence: rules(random, starts) }),
    ...(random.chance(0.8) && { attendees: list }),
    ...(Object.assign({}, ...parts) as object),
    ...(random.chance(0.25) && { guestsCanSeeOtherGuests: false }),
    ...(random.chance(0.08) && { status: random.pick(['tentative', 'cancelled']) }),
    ...(random.chance(0.03) && { privateCopy: true }),
    ...(random.chance(0.1) &&
      random.pick([{ id: `chosen${random.below(5)}` }, { iCalUID: `chosen-${random.below(5)}` }])),
    ...(isFaulty && random.weighted(faults)(random)),
  };
  const args: Args = {
    event,
    ...controls(random),
    ...(random.chance(0.1) && { requestId: `request ${random.below(20)}` }),
  };
  const makes = {
    owner,
    ...(home && { home }),
    guests: list.map(({ email }) => String(email).toLowerCase()),
    ...(isSeries && { series: starts }),
  };
  return [{ ...requestBy(seat, 'insertEvent', args), ...(!isFaulty && isApplied(args) && { makes }) }];
}

const insertInstance: Make = (random, known) => {
  const { made } = anyEvent(random, known);
  const { as, calendarId } = seatOn(random, made, writers);
  const event = {
    recurringEventId: { $event: made.step },
    originalStartTime: originalTime(originalOf(random, made.series ?? noSeries)),
    ...(random.chance(0.2) ? { status: 'cancelled' } : times(random, random.chance(0.3)).body),
    ...(random.chance(0.3) && { attendees: guests(random) }),
    ...random.weighted(fields)(random),
  };
  return [requestBy({ as, calendarId }, 'insertEvent', { event, ...controls(random) })];
};

const patchEvent: Make = (random, known) => {
  const { made, eventId } = anyEvent(random, known);
  const seat = seatOn(random, made, writers);
  const parts = Array.from({ length: random.chance(0.75) ? 1 : 2 }, () =>
    random.weighted(changes)(random, eventId, seat.as, made.series ?? noSeries),
  );
  const event = Object.assign({}, ...parts) as object;
  return readFirst(
    random,
    requestBy(seat, 'patchEvent', { eventId, ...ifMatch(random, eventId), ...controls(random), event }),
  );
};

/** Guests come, change and go by difference, mostly with nothing else; rarely beside a list. */
const changeGuests: Make = (random, known) => {
  const { made, eventId } = anyEvent(random, known);
  const seat = seatOn(random, made, writers);
  const event = random.chance(0.8)
    ? {}
    : random.weighted(changes)(random, eventId, seat.as, made.series ?? noSeries);
  return readFirst(
    random,
    requestBy(seat, 'patchEvent', {
      eventId,
      ...ifMatch(random, eventId),
      ...controls(random),
      attendeeChanges: attendeeChanges(random, seat.as),
      event,
    }),
  );
};

/** What the caller was shown last, as it is or with a change, with and without its nulls. */
const sendBack: Make = (random, known) => {
  const { made, eventId } = anyEvent(random, known);
  const supports = random.chance(0.7) ? { supportsAttachments: true, conferenceDataVersion: 1 } : {};
  const but = random.chance(0.7) ? {} : { summary: random.pick(['Plan', 'Sent back']) };
  const event = { $shown: eventId, nulls: random.chance(0.7), but };
  return readFirst(
    random,
    requestBy(seatOn(random, made, writers), 'patchEvent', {
      eventId,
      event,
      ...ifMatch(random, eventId),
      ...supports,
      ...notifying(random),
    }),
  );
};

const deleteEvent: Make = (random, known) => {
  const { made, eventId } = anyEvent(random, known);
  return readFirst(
    random,
    requestBy(seatOn(random, made, writers), 'deleteEvent', {
      eventId,
      ...ifMatch(random, eventId),
      ...notifying(random),
    }),
  );
};

/** A series is changed or ended from one of its instances on; what goes on from there is an event that is known like any other. */
const changeFollowing: Make = (random, known) => {
  const series = known.events.flatMap((made) => (made.series ? [{ made, starts: made.series }] : []));
  if (series.length === 0) return [];
  const { made, starts } = random.pick(series);
  const eventId = { $event: made.step, at: originalOf(random, starts) };
  const seat = random.chance(0.85) ? organizerOf(made) : seatOn(random, made, writers);
  if (random.chance(0.25))
    return readFirst(
      random,
      requestBy(seat, 'deleteFollowingEvents', {
        eventId,
        ...ifMatch(random, eventId),
        ...notifying(random),
      }),
    );
  const event = random.weighted<() => object>([
    [3, () => ({})],
    [4, () => random.weighted(changes)(random, eventId, seat.as, starts)],
    [
      3,
      () => ({
        $shown: eventId,
        nulls: random.chance(0.7),
        but: random.chance(0.5) ? {} : { summary: 'From here on' },
      }),
    ],
  ])();
  const args: Args = {
    eventId,
    ...ifMatch(random, eventId),
    ...controls(random),
    event,
    ...(random.chance(0.1) && { requestId: `request ${random.below(20)}` }),
  };
  return readFirst(random, {
    ...requestBy(seat, 'patchFollowingEvents', args),
    ...(isApplied(args) && { makes: { ...made, series: starts } }),
  });
};

/** An instance gets a guest list of its own, and then the series another guest, who may have a calendar here. */
const inviteLater: Make = (random, { events }) => {
  const series = events.flatMap((made) => (made.series ? [{ made, starts: made.series }] : []));
  if (series.length === 0) return [];
  const { made, starts } = random.pick(series);
  const [step, seat] = [made.step, organizerOf(made)];
  const invite = (eventId: EventReference, email: string): Request[] => [
    requestBy(seat, 'event', { eventId }),
    requestBy(seat, 'patchEvent', {
      eventId,
      event: { attendees: { $guestsOf: eventId, as: 'with', entry: { email } } },
    }),
  ];
  return [
    ...invite({ $event: step, at: originalOf(random, starts) }, `later${random.below(9)}@elsewhere.example`),
    ...invite({ $event: step }, random.pick(hosts)),
  ];
};

/** A guest with a calendar here is taken off a series, invited to one of its instances, and sometimes put back on the series. */
const inviteBack: Make = (random, { events }) => {
  const series = events.flatMap((made) => (made.series ? [{ made, starts: made.series }] : []));
  if (series.length === 0) return [];
  const { made, starts } = random.pick(series);
  const [step, email] = [made.step, random.pick(hosts)];
  const change = (eventId: EventReference, attendeeChanges: object): Request =>
    requestBy(organizerOf(made), 'patchEvent', { eventId, attendeeChanges, event: {}, ...notifying(random) });
  return [
    ...(random.chance(0.5) ? [change({ $event: step }, { add: [{ email }] })] : []),
    change({ $event: step }, { remove: [email] }),
    change({ $event: step, at: originalOf(random, starts) }, { add: [{ email }] }),
    ...(random.chance(0.3) ? [change({ $event: step }, { add: [{ email }] })] : []),
  ];
};

/** Rita, who reads the calendars of Alice and Bob, comes to events of theirs whose guests are hidden, takes them off her own calendar, and goes. */
export const inviteReader: Make = (random, known) => {
  const events = known.events.filter(({ owner }) => owner === alice || owner === bob);
  if (events.length === 0) return [];
  const { made, eventId } = anyEvent(random, { ...known, events });
  const change = (seat: AskedSeat, event: object, attendeeChanges?: object): Request =>
    requestBy(seat, 'patchEvent', { eventId, event, attendeeChanges, ...notifying(random) });
  const own = { as: rita, calendarId: 'primary' };
  return [
    random.weighted<() => Request>([
      [
        4,
        () =>
          change(organizerOf(made), random.chance(0.5) ? { guestsCanSeeOtherGuests: false } : {}, {
            add: [{ email: rita }],
          }),
      ],
      [1, () => change(organizerOf(made), {}, { remove: [rita] })],
      [2, () => requestBy(own, 'deleteEvent', { eventId })],
      [4, () => change(own, { status: random.pick(['cancelled', 'confirmed']) })],
      [1, () => change(own, { attendeesOmitted: true, attendees: [answer(random, rita)] })],
    ])(),
  ];
};

/** A single event goes to a day of November, on which there seldom is another: so days come and go before all others. */
export const moveAhead: Make = (random, { events }) => {
  const single = events.filter(({ series }) => !series);
  if (single.length === 0) return [];
  const made = random.pick(single);
  const day = String(1 + random.below(28)).padStart(2, '0');
  const at = (hour: number): object => ({ date: null, dateTime: `2026-11-${day}T${hour}:00:00Z` });
  return [
    requestBy(organizerOf(made), 'patchEvent', {
      eventId: { $event: made.step },
      event: { start: at(10), end: at(11) },
    }),
  ];
};

/** Several keep reminders of their own on one instance. */
const remind: Make = (random, known) => {
  const events = known.events.filter(({ series }) => series);
  if (events.length === 0) return [];
  const { made, eventId } = anyEvent(random, { ...known, events });
  return Array.from({ length: 3 }, () => {
    const event = { reminders: { useDefault: false, overrides: [popup(random.below(9))] } };
    return requestBy(seatOn(random, made, writers), 'patchEvent', { eventId, event });
  });
};

/** What refers to what its caller was shown comes behind a look at that; sometimes the last look was long ago. */
function readFirst(random: Random, request: Request): readonly Request[] {
  const { as, args } = request;
  if (!/"\$(shown|etagOf|guestsOf)"/.test(JSON.stringify(args)) || random.chance(0.15)) return [request];
  return [{ name: 'event', as, args: { calendarId: args.calendarId, eventId: args.eventId } }, request];
}

const notifying = (random: Random): Args => ({
  ...(random.chance(0.45) && { sendUpdates: random.pick(['all', 'externalOnly', 'none']) }),
  ...(random.chance(0.05) && { sendNotifications: true }),
});

const controls = (random: Random): Args => ({
  ...notifying(random),
  ...presentation(random),
  ...(random.chance(0.06) && { validateOnly: true }),
  ...(random.chance(0.3) && { supportsAttachments: true }),
  ...(random.chance(0.3) && { conferenceDataVersion: random.chance(0.95) ? 1 : 2 }),
});

/** Whether nothing in the controls keeps an insert from being stored. */
const isApplied = ({ validateOnly, maxAttendees, conferenceDataVersion }: Args): boolean =>
  validateOnly !== true && maxAttendees !== 0 && conferenceDataVersion !== 2;

const ifMatch = (random: Random, event: EventReference): Args =>
  random.chance(0.2)
    ? {
        ifMatch: random.weighted<unknown>([
          [5, { $etagOf: event }],
          [1, '*'],
          [1, '"other"'],
          [1, 'other'],
        ]),
      }
    : {};

const noSeries: Starts = { isDay: false, day: 1, hour: 9 };

/** What changes events. */
export const writes: Weighted<Make> = [
  [5, insertEvent],
  [4, insertInstance],
  [34, patchEvent],
  [8, changeGuests],
  [5, sendBack],
  [4, deleteEvent],
  [6, changeFollowing],
  [2, inviteLater],
  [3, inviteBack],
  [1, remind],
];
