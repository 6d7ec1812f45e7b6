import { alice, bob, eve, popupOverride, fritz, rita, wanda } from '../event/event.harness.ts';
import { callers, dave, calendarOwners, newcomers } from './cast.ts';
import { insertEventOn } from './event-writes.ts';
import { makeRequest, type Args, type CallerRef, type History, type MakeRequest } from './operation.ts';
import type { CalendarTarget } from './references.ts';
import type { Random, Weighted } from './seed.ts';

/** A calendar whose insert was sent; whether that succeeded is unknown here. */
interface CreatedCalendar {
  readonly owner: string;
  readonly target: CalendarTarget;
}

export const listCreatedCalendars = ({ earlier }: History): CreatedCalendar[] =>
  earlier.flatMap(({ step, name, as, args }) =>
    name === 'insertCalendar' && args.validateOnly !== true
      ? [{ owner: as, target: { $calendar: step } }]
      : [],
  );

/** Picks a recently created calendar, or one of the cast. */
function randomCalendar(random: Random, history: History): CreatedCalendar {
  const created = listCreatedCalendars(history);
  const owner = random.pick([alice, alice, bob, bob, ...calendarOwners, ...newcomers]);
  return created.length > 0 && random.chance(0.6) ? random.pick(created.slice(-3)) : { owner, target: owner };
}

// Zones far east and west of the others, in which many all-day events are on another day.
const [farEast, farWest] = ['Pacific/Kiritimati', 'America/St_Johns'];
const zones = [farEast, farWest, 'Europe/Berlin', 'UTC', 'America/New_York', 'Asia/Kathmandu'] as const;
const roles = ['owner', 'writer', 'writer', 'reader', 'reader', 'freeBusyReader', 'none', 'none'] as const;

const emailReminder = { method: 'email', minutes: 30 };
const invalidSettings: readonly Args[] = [
  { timeZone: 'Europe/Nowhere' },
  { summary: '' },
  { backgroundColor: 'red' },
  { id: 'another', primary: true, accessRole: 'reader' },
  { timeZone: null },
  { defaultReminders: [{ method: 'sms', minutes: 5 }, popupOverride(-1)] },
];
const weightedSettingChanges: Weighted<(random: Random) => Args> = [
  [6, (random) => ({ timeZone: random.pick(zones) })],
  [3, (random) => ({ summary: random.pick(['Plans', 'Team', 'Ärger', null]) })],
  [
    3,
    (random) => ({
      defaultReminders: random.pick([
        null,
        [],
        [popupOverride(random.integerBelow(3))],
        [emailReminder, popupOverride(5)],
      ]),
    }),
  ],
  [1, (random) => ({ description: random.pick(['All', null]), location: random.pick(['Here', '', null]) })],
  [1, (random) => ({ backgroundColor: random.pick(['#AABBCC', '#aabbcc', null]) })],
  [1, (random) => random.pick(invalidSettings)],
];

const randomSettings = (random: Random): Args =>
  Object.assign(
    {},
    ...Array.from({ length: 1 + random.integerBelow(2) }, () =>
      random.pickWeighted(weightedSettingChanges)(random),
    ),
  ) as Args;
const randomDryRun = (random: Random): Args => (random.chance(0.06) ? { validateOnly: true } : {});
const randomIfMatch = (random: Random, target: CalendarTarget): Args =>
  random.chance(0.2)
    ? { ifMatch: random.pick<unknown>([{ $etagAt: target }, { $etagAt: target }, '*', '"other"', 'other']) }
    : {};

/** Picks the owner in most cases, otherwise any caller. */
const pickOwner = (random: Random, owner: string): string =>
  random.chance(0.88) ? owner : random.pick(callers);

/** Creates a calendar, shares it, and inserts an event. */
const insertCalendar: MakeRequest = (random, history) => {
  const as = random.pickWeighted([
    [4, alice],
    [3, bob],
    [1, dave],
    [1, wanda],
    [1, eve],
  ]);
  const calendar = random.chance(0.6) ? { timeZone: random.pick(zones) } : randomSettings(random);
  const args = {
    calendar,
    ...randomDryRun(random),
    ...(random.chance(0.15) && { requestId: `request ${random.integerBelow(20)}` }),
  };
  const created: CreatedCalendar = { owner: as, target: { $calendar: history.step } };
  return [
    { name: 'insertCalendar', as, args },
    { name: 'setCalendarAccess', as, args: { calendarId: created.target, ...randomAccess(random) } },
    ...makeInsertRequests(random, created),
  ];
};

const randomAccess = (random: Random): Args => {
  const otherAddresses = [eve, alice, bob, dave, 'guest@elsewhere.example'];
  const email = random.pick([wanda, rita, fritz, wanda, rita, fritz, ...otherAddresses]);
  return { email: random.chance(0.1) ? email.toUpperCase() : email, role: random.pick(roles) };
};

/** Grants or removes a role, or lets a caller remove their own. */
const setAccess: MakeRequest = (random, history) => {
  const { owner, target } = randomCalendar(random, history);
  if (random.chance(0.12)) {
    const as = random.pick(callers);
    return [makeRequest({ as, calendarId: target }, 'setCalendarAccess', { email: as, role: 'none' })];
  }
  const args = random.chance(0.04)
    ? { email: random.pick([owner, 'no address']), role: random.pick(roles) }
    : randomAccess(random);
  return [makeRequest({ as: pickOwner(random, owner), calendarId: target }, 'setCalendarAccess', args)];
};

export const patchCalendar: MakeRequest = (random, history) => {
  const { owner, target } = randomCalendar(random, history);
  const caller = { as: pickOwner(random, owner), calendarId: target };
  const [isReadFirst, calendar] = random.chance(0.15)
    ? [true, { $settingsAt: target, but: random.pick<Args>([{}, { summary: 'Sent back' }]) }]
    : [random.chance(0.3), randomSettings(random)];
  return [
    ...(isReadFirst ? [makeRequest(caller, 'calendar', {})] : []),
    makeRequest(caller, 'patchCalendar', {
      calendar,
      ...randomIfMatch(random, target),
      ...randomDryRun(random),
    }),
  ];
};

const deleteCalendar: MakeRequest = (random, history) => {
  const created = listCreatedCalendars(history);
  if (created.length < 2 && random.chance(0.9)) return [];
  const { owner, target } = random.chance(0.1)
    ? randomCalendar(random, history)
    : random.pick(created.length > 0 ? created : [randomCalendar(random, history)]);
  const sendUpdates = random.chance(0.7) ? { sendUpdates: random.pick(['all', 'externalOnly', 'none']) } : {};
  const as = random.chance(0.8) ? owner : random.pick(callers);
  const args = { ...randomIfMatch(random, target), ...sendUpdates };
  return [makeRequest({ as, calendarId: target }, 'deleteCalendar', args)];
};

/** Inserts an event on a created calendar, by its owner or a caller who may have write access. */
function makeInsertRequests(random: Random, { owner, target }: CreatedCalendar): ReturnType<MakeRequest> {
  if (typeof target === 'string') return [];
  const as = random.chance(0.6) ? owner : random.pick([wanda, alice, bob, eve, rita]);
  return insertEventOn(random, owner, { as, calendarId: target }, target);
}

const insertOnCreatedCalendar: MakeRequest = (random, history) => {
  const created = listCreatedCalendars(history);
  return created.length === 0 ? [] : makeInsertRequests(random, random.pick(created.slice(-3)));
};

/** Lists a calendar in one page: the page size is above the number of its events. */
const listAllEvents = (random: Random, caller: CallerRef) =>
  makeRequest(caller, 'events', { first: 400, ...(random.chance(0.5) && { showDeleted: true }) });

/** A previously invited user reads their primary calendar, which creates it. */
const createPrimaryCalendar: MakeRequest = (random) => {
  const as = random.pick(newcomers);
  return [
    random.chance(0.5)
      ? { name: 'calendars', as, args: {} }
      : listAllEvents(random, { as, calendarId: 'primary' }),
  ];
};

const readCalendar: MakeRequest = (random, history) => {
  const { owner, target } = randomCalendar(random, history);
  const caller = { as: random.chance(0.4) ? owner : random.pick(callers), calendarId: target };
  return [
    random.chance(0.3)
      ? { name: 'calendars', as: caller.as, args: {} }
      : random.chance(0.5)
        ? makeRequest(caller, random.pick(['calendar', 'calendarAccess']), {})
        : listAllEvents(random, caller),
  ];
};

/** Writes to calendars, and to events on created calendars. */
export const calendarWrites: Weighted<MakeRequest> = [
  [2, insertCalendar],
  [5, setAccess],
  [4, patchCalendar],
  [1, deleteCalendar],
  [5, insertOnCreatedCalendar],
  [1, createPrimaryCalendar],
];
/** Reads of calendars. */
export const calendarReads: Weighted<MakeRequest> = [
  [4, readCalendar],
  [2, createPrimaryCalendar],
];
/** Changes of access and time zones. */
export const accessAndZoneChanges: Weighted<MakeRequest> = [
  [5, setAccess],
  [3, patchCalendar],
];
