import { alice, berlin, bob, carol, eve, fritz, people, rita, room, wanda } from '../event/event.harness.ts';

/** Has a calendar here, and is seldom invited. */
export const dave = 'dave@example.com';
export const hosts = [alice, bob, carol, dave] as const;
/** Everybody who asks: owners of calendars, then those with a role on all of them, then somebody with none. */
export const callers = [...hosts, wanda, rita, fritz, eve] as const;
/** Everybody who is invited: with a calendar here, without, and without but with a role. */
export const invited = [bob, carol, dave, eve, rita, room, 'guest@elsewhere.example'] as const;
/** Of those: they have a calendar from when they first ask for it. */
export const newcomers = [eve, rita, 'guest@elsewhere.example'] as const;

export const buckets = ['photos', 'paid'] as const;
export const topics = ['projects/my-project/topics/one', 'projects/my-project/topics/two'] as const;

/** Four calendars without events, open to a writer, a reader and a free/busy reader; two buckets of Alice and Bob. */
export const seed = {
  calendars: [...people(), { ...people()[0], id: dave, owner: dave, timeZone: 'America/New_York' }],
  buckets: buckets.map((name) => ({
    name,
    project: 'my-project',
    requesterPays: name === 'paid',
    managers: [alice, bob],
  })),
};

/** The zones of events: those of the calendars. */
export const zones = [berlin, berlin, 'America/New_York'] as const;
