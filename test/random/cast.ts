import {
  alice,
  berlin,
  bob,
  carol,
  eve,
  room,
  sampleCalendars,
  fritz,
  rita,
  wanda,
} from '../event/event.harness.ts';

// Users, calendars, buckets and topics of the random tests.

/** A user with a calendar who is rarely invited. */
export const dave = 'dave@example.com';
export const calendarOwners = [alice, bob, carol, dave] as const;
/** All callers: owners of calendars, users with a role on all of them, and a user without any. */
export const callers = [...calendarOwners, wanda, rita, fritz, eve] as const;
/** Addresses that may be invited: with a calendar, without one, and with a role only. */
export const invitableAddresses = [bob, carol, dave, eve, rita, room, 'guest@elsewhere.example'] as const;
/** Invited users whose primary calendar is created on first use. */
export const newcomers = [eve, rita, 'guest@elsewhere.example'] as const;

export const buckets = ['photos', 'paid'] as const;
export const topics = ['projects/my-project/topics/one', 'projects/my-project/topics/two'] as const;

const davesCalendar = { ...sampleCalendars()[0], id: dave, owner: dave, timeZone: 'America/New_York' };
/** Four empty calendars shared with a writer, a reader and a free/busy reader; two buckets of Alice and Bob. */
export const castSeed = {
  calendars: [...sampleCalendars(), davesCalendar],
  buckets: buckets.map((name) => ({
    name,
    project: 'my-project',
    requesterPays: name === 'paid',
    managers: [alice, bob],
  })),
};

/** Time zones of events, which are those of the calendars; Berlin is picked twice as often. */
export const zones = [berlin, berlin, 'America/New_York'] as const;
