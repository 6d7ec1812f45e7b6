import { alice, bob, eve, fritz, rita, wanda } from '../event/event.harness.ts';
import { callers, dave, hosts, newcomers } from './cast.ts';
import { insertOn } from './event-writes.ts';
import { requestBy, type Args, type Known, type Make } from './operation.ts';
import type { Place } from './references.ts';
import type { Random, Weighted } from './seed.ts';

/** A calendar that somebody made, or may have made: whether it was answered so is not known here. */
interface MadeCalendar {
  readonly owner: string;
  readonly place: Place;
}

export const calendarsMade = ({ earlier }: Known): MadeCalendar[] =>
  earlier.flatMap(({ step, name, as, args }) =>
    name === 'insertCalendar' && args.validateOnly !== true
      ? [{ owner: as, place: { $calendar: step } }]
      : [],
  );

/** One that was made, mostly one of the newest, or one of the cast's. */
function anyCalendar(random: Random, known: Known): MadeCalendar {
  const made = calendarsMade(known);
  const host = random.pick([alice, alice, bob, bob, ...hosts, ...newcomers]);
  return made.length > 0 && random.chance(0.6) ? random.pick(made.slice(-3)) : { owner: host, place: host };
}

const zones = [
  'Pacific/Kiritimati',
  'America/St_Johns',
  'Europe/Berlin',
  'UTC',
  'America/New_York',
  'Asia/Kathmandu',
] as const;
const roles = ['owner', 'writer', 'writer', 'reader', 'reader', 'freeBusyReader', 'none', 'none'] as const;

const settings: Weighted<(random: Random) => Args> = [
  [6, (random) => ({ timeZone: random.pick(zones) })],
  [3, (random) => ({ summary: random.pick(['Plans', 'Team', 'Ärger', null]) })],
  [
    3,
    (random) => ({
      defaultReminders: random.pick([
        null,
        [],
        [{ method: 'popup', minutes: random.below(3) }],
        [
          { method: 'email', minutes: 30 },
          { method: 'popup', minutes: 5 },
        ],
      ]),
    }),
  ],
  [
    1,
    (random) => ({
      description: random.pick(['All of it', null]),
      location: random.pick(['Here', '', null]),
    }),
  ],
  [1, (random) => ({ backgroundColor: random.pick(['#AABBCC', '#aabbcc', null]) })],
  [
    1,
    (random) =>
      random.pick<Args>([
        { timeZone: 'Europe/Nowhere' },
        { summary: '' },
        { backgroundColor: 'red' },
        { id: 'another', primary: true, accessRole: 'reader' },
        { timeZone: null },
        {
          defaultReminders: [
            { method: 'sms', minutes: 5 },
            { method: 'popup', minutes: -1 },
          ],
        },
      ]),
  ],
];

const someSettings = (random: Random): Args =>
  Object.assign(
    {},
    ...Array.from({ length: 1 + random.below(2) }, () => random.weighted(settings)(random)),
  ) as Args;
const rehearsed = (random: Random): Args => (random.chance(0.06) ? { validateOnly: true } : {});
const ifMatch = (random: Random, place: Place): Args =>
  random.chance(0.2)
    ? { ifMatch: random.pick<unknown>([{ $etagAt: place }, { $etagAt: place }, '*', '"other"', 'other']) }
    : {};

/** Most often somebody who may administer it. */
const ownerOr = (random: Random, owner: string): string =>
  random.chance(0.88) ? owner : random.pick(callers);

/** A calendar with an event or two on it, shared with somebody at once. */
const insertCalendar: Make = (random, known) => {
  const as = random.weighted([
    [4, alice],
    [3, bob],
    [1, dave],
    [1, wanda],
    [1, eve],
  ]);
  const calendar = random.chance(0.6) ? { timeZone: random.pick(zones) } : someSettings(random);
  const args = {
    calendar,
    ...rehearsed(random),
    ...(random.chance(0.15) && { requestId: `request ${random.below(20)}` }),
  };
  const made: MadeCalendar = { owner: as, place: { $calendar: known.step } };
  return [
    { name: 'insertCalendar', as, args },
    { name: 'setCalendarAccess', as, args: { calendarId: made.place, ...given(random) } },
    ...eventOn(random, made),
  ];
};

const given = (random: Random): Args => {
  const email = random.pick([
    wanda,
    rita,
    fritz,
    wanda,
    rita,
    fritz,
    eve,
    alice,
    bob,
    dave,
    'guest@elsewhere.example',
  ]);
  return { email: random.chance(0.1) ? email.toUpperCase() : email, role: random.pick(roles) };
};

/** A role is given or taken, or somebody leaves. */
const setAccess: Make = (random, known) => {
  const { owner, place } = anyCalendar(random, known);
  if (random.chance(0.12)) {
    const as = random.pick(callers);
    return [requestBy({ as, calendarId: place }, 'setCalendarAccess', { email: as, role: 'none' })];
  }
  const args = random.chance(0.04)
    ? { email: random.pick([owner, 'no address']), role: random.pick(roles) }
    : given(random);
  return [requestBy({ as: ownerOr(random, owner), calendarId: place }, 'setCalendarAccess', args)];
};

export const patchCalendar: Make = (random, known) => {
  const { owner, place } = anyCalendar(random, known);
  const seat = { as: ownerOr(random, owner), calendarId: place };
  const [look, calendar] = random.chance(0.15)
    ? [true, { $settingsAt: place, but: random.pick<Args>([{}, { summary: 'Sent back' }]) }]
    : [random.chance(0.3), someSettings(random)];
  return [
    ...(look ? [requestBy(seat, 'calendar', {})] : []),
    requestBy(seat, 'patchCalendar', { calendar, ...ifMatch(random, place), ...rehearsed(random) }),
  ];
};

const deleteCalendar: Make = (random, known) => {
  const made = calendarsMade(known);
  if (made.length < 2 && random.chance(0.9)) return [];
  const { owner, place } = random.chance(0.1)
    ? anyCalendar(random, known)
    : random.pick(made.length > 0 ? made : [anyCalendar(random, known)]);
  const sendUpdates = random.chance(0.7) ? { sendUpdates: random.pick(['all', 'externalOnly', 'none']) } : {};
  return [
    requestBy(
      { as: random.chance(0.8) ? owner : random.pick(callers), calendarId: place },
      'deleteCalendar',
      { ...ifMatch(random, place), ...sendUpdates },
    ),
  ];
};

/** An event of a calendar that was made, by its owner or by somebody who perhaps may write there. */
function eventOn(random: Random, { owner, place }: MadeCalendar): ReturnType<Make> {
  if (typeof place === 'string') return [];
  const as = random.chance(0.6) ? owner : random.pick([wanda, alice, bob, eve, rita]);
  return insertOn(random, owner, { as, calendarId: place }, place);
}

const insertElsewhere: Make = (random, known) => {
  const made = calendarsMade(known);
  return made.length === 0 ? [] : eventOn(random, random.pick(made.slice(-3)));
};

/** Somebody who was invited before looks at the own calendar, which is made with that. */
const arrive: Make = (random) => {
  const as = random.pick(newcomers);
  return [
    random.chance(0.5)
      ? { name: 'calendars', as, args: {} }
      : requestBy({ as, calendarId: 'primary' }, 'events', {
          first: 400,
          ...(random.chance(0.5) && { showDeleted: true }),
        }),
  ];
};

const look: Make = (random, known) => {
  const { owner, place } = anyCalendar(random, known);
  const seat = { as: random.chance(0.4) ? owner : random.pick(callers), calendarId: place };
  return [
    random.chance(0.3)
      ? { name: 'calendars', as: seat.as, args: {} }
      : random.chance(0.5)
        ? requestBy(seat, random.pick(['calendar', 'calendarAccess']), {})
        : requestBy(seat, 'events', { first: 400, ...(random.chance(0.5) && { showDeleted: true }) }),
  ];
};

/** What changes calendars, and events on those that were made. */
export const calendarWrites: Weighted<Make> = [
  [2, insertCalendar],
  [5, setAccess],
  [4, patchCalendar],
  [1, deleteCalendar],
  [5, insertElsewhere],
  [1, arrive],
];
/** The same where nobody tells who may see what. */
export const calendarReads: Weighted<Make> = [
  [4, look],
  [2, arrive],
];
/** Changes of whom calendars are shown, and in which zone. */
export const turns: Weighted<Make> = [
  [5, setAccess],
  [3, patchCalendar],
];
