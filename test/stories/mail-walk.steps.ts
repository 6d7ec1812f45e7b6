import { alice, bob, carol, type Outcome } from '../event/event.harness.ts';
import type { EventReading } from '../mail/reading.ts';
import { guest, type MailGateway } from './mail-walk.harness.ts';

/** What happens to a series, and the mails that tell of it. */
export interface Step {
  readonly does: string;
  readonly run: (gateway: MailGateway, id: string) => Promise<Outcome>;
  readonly method: 'REQUEST' | 'CANCEL' | 'REPLY';
  readonly subject: string;
  /** The text of each receiver's mail without its link. */
  readonly texts: Readonly<Record<string, string>>;
  /** What the first event of each mail says; guests as `address STATUS`. */
  readonly event: Partial<Omit<EventReading, 'attendees'>> & { readonly guests: readonly string[] };
  /** The instances that the mails of a series hold beside it. */
  readonly instances?: readonly Partial<EventReading>[];
}

const all = { sendUpdates: 'all' };
const time = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });

/** Four Mondays across the end of summer time. */
export const series = {
  summary: 'Planning',
  location: 'Room 3',
  description: 'What comes next',
  recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
  start: time('2026-10-12T10:00:00+02:00'),
  end: time('2026-10-12T11:00:00+02:00'),
  attendees: [
    { email: alice, displayName: 'Alice', responseStatus: 'accepted' },
    { email: bob, displayName: 'Bob' },
    { email: guest, displayName: 'Gus, "G"', optional: true },
    { email: 'room3@resource.example', resource: true },
  ],
};
const starts = (minutes: string, ...left: readonly string[]): string[] =>
  [`10-12T08:${minutes}`, `10-19T08:${minutes}`, `10-26T09:${minutes}`, `11-02T09:${minutes}`]
    .map((start) => `2026-${start}:00.000Z`)
    .filter((start) => !left.includes(start));
const [a, b, c, g, r] = [
  `${alice} ACCEPTED`,
  `${bob} NEEDS-ACTION`,
  `${carol} NEEDS-ACTION`,
  `${guest} NEEDS-ACTION`,
  'room3@resource.example NEEDS-ACTION',
] as [string, string, string, string, string];
const accepted = `${bob} ACCEPTED`;

const repeats = '\n\nThis event repeats.';
const ofSeries = '\n\nThis is one event of a series.';
const place = '\nPlace: Room 3\nOrganizer: Alice (alice@example.com)';
const newYork = (hours: string): string => `First time: Monday, 2026-10-12, ${hours} (America/New_York)`;
const berlin = (hours: string): string => `First time: Monday, 2026-10-12, ${hours} (Europe/Berlin)`;
const byAlice = (what: string): string => `Alice (alice@example.com) ${what}`;
const changed = (
  title: string,
  first: string,
  ...changes: readonly (readonly [string, string, string])[]
): string =>
  `${byAlice('changed this event.')}\n\n${title}\n${first}${place}${changes.length === 0 ? '' : `\n\nWhat changed:${changes.map(([label, before, now]) => `\n${label}\n  before: ${before}\n  now: ${now}`).join('')}`}`;
const moved = [
  {
    recurrenceId: '2026-10-26T09:30:00.000Z',
    start: '2026-10-27T09:30:00.000Z',
    end: '2026-10-27T10:30:00.000Z',
    summary: 'Review',
    status: 'CONFIRMED',
    starts: null,
  },
];

export const steps: readonly Step[] = [
  {
    does: 'the event is new',
    method: 'REQUEST',
    subject: 'Invitation: Planning',
    run: (gateway) => gateway.insert(series, all),
    texts: {
      [bob]: `${byAlice('invited you to this event.')}\n\nPlanning\n${newYork('04:00 to 05:00')}${place}\nDescription: What comes next${repeats}`,
      [guest]: `${byAlice('invited you to this event.')}\n\nPlanning\n${berlin('10:00 to 11:00')}${place}\nDescription: What comes next${repeats}`,
    },
    event: {
      sequence: 0,
      recurrenceId: null,
      start: '2026-10-12T08:00:00.000Z',
      end: '2026-10-12T09:00:00.000Z',
      summary: 'Planning',
      description: 'What comes next',
      location: 'Room 3',
      status: 'CONFIRMED',
      starts: starts('00'),
      excluded: [],
      guests: [a, b, g, r],
    },
  },
  {
    does: 'its time changes',
    method: 'REQUEST',
    subject: 'Updated: Planning',
    run: (gateway, id) =>
      gateway.patch(
        id,
        { start: time('2026-10-12T10:30:00+02:00'), end: time('2026-10-12T11:30:00+02:00') },
        all,
      ),
    texts: {
      [bob]:
        changed(
          'Planning',
          newYork('04:30 to 05:30'),
          [
            'Start',
            'Monday, 2026-10-12, 04:00 (America/New_York)',
            'Monday, 2026-10-12, 04:30 (America/New_York)',
          ],
          [
            'End',
            'Monday, 2026-10-12, 05:00 (America/New_York)',
            'Monday, 2026-10-12, 05:30 (America/New_York)',
          ],
        ) + repeats,
      [guest]:
        changed(
          'Planning',
          berlin('10:30 to 11:30'),
          ['Start', 'Monday, 2026-10-12, 10:00 (Europe/Berlin)', 'Monday, 2026-10-12, 10:30 (Europe/Berlin)'],
          ['End', 'Monday, 2026-10-12, 11:00 (Europe/Berlin)', 'Monday, 2026-10-12, 11:30 (Europe/Berlin)'],
        ) + repeats,
    },
    event: {
      sequence: 1,
      start: '2026-10-12T08:30:00.000Z',
      end: '2026-10-12T09:30:00.000Z',
      starts: starts('30'),
      guests: [a, b, g, r],
    },
  },
  {
    does: 'its title changes',
    method: 'REQUEST',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { summary: 'Review' }, all),
    texts: {
      [bob]: changed('Review', newYork('04:30 to 05:30'), ['Title', 'Planning', 'Review']) + repeats,
      [guest]: changed('Review', berlin('10:30 to 11:30'), ['Title', 'Planning', 'Review']) + repeats,
    },
    event: { sequence: 1, summary: 'Review', starts: starts('30'), guests: [a, b, g, r] },
  },
  {
    does: 'a guest is added',
    method: 'REQUEST',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, {}, { attendeeChanges: { add: [{ email: carol }] }, ...all }),
    texts: {
      [bob]: changed('Review', newYork('04:30 to 05:30')) + repeats,
      [carol]: `${byAlice('invited you to this event.')}\n\nReview\nFirst time: Monday, 2026-10-12, 17:30 to 18:30 (Asia/Tokyo)${place}\nDescription: What comes next${repeats}`,
      [guest]: changed('Review', berlin('10:30 to 11:30')) + repeats,
    },
    event: { sequence: 1, starts: starts('30'), guests: [a, b, g, r, c] },
  },
  {
    does: 'a guest is taken off',
    method: 'REQUEST',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, {}, { attendeeChanges: { remove: [carol] }, ...all }),
    texts: {
      [bob]: changed('Review', newYork('04:30 to 05:30')) + repeats,
      [carol]: `${byAlice('took you off the guest list of this event.')}\n\nReview\nFirst time: Monday, 2026-10-12, 17:30 to 18:30 (Asia/Tokyo)${place}${repeats}`,
      [guest]: changed('Review', berlin('10:30 to 11:30')) + repeats,
    },
    event: { sequence: 1, starts: starts('30'), guests: [a, b, g, r] },
  },
  {
    does: 'a guest answers',
    method: 'REPLY',
    subject: 'Accepted: Review',
    run: (gateway, id) =>
      gateway.patch(
        id,
        {
          attendeesOmitted: true,
          attendees: [{ email: bob, responseStatus: 'accepted', comment: 'I come; later' }],
        },
        { as: bob, ...all },
      ),
    texts: {
      [alice]: `Bob (bob@example.com) accepted the invitation.\n\nReview\n${berlin('10:30 to 11:30')}${place}\nComment: I come; later${repeats}`,
    },
    event: { sequence: 1, comment: 'I come; later', guests: [accepted] },
  },
  {
    does: 'an instance moves',
    method: 'REQUEST',
    subject: 'Updated: Review',
    run: (gateway, id) =>
      gateway.patch(
        `${id}_20261026T093000Z`,
        { start: time('2026-10-27T10:30:00+01:00'), end: time('2026-10-27T11:30:00+01:00') },
        all,
      ),
    texts: {
      [bob]:
        changed(
          'Review',
          'Time: Tuesday, 2026-10-27, 05:30 to 06:30 (America/New_York)',
          [
            'Start',
            'Monday, 2026-10-26, 05:30 (America/New_York)',
            'Tuesday, 2026-10-27, 05:30 (America/New_York)',
          ],
          [
            'End',
            'Monday, 2026-10-26, 06:30 (America/New_York)',
            'Tuesday, 2026-10-27, 06:30 (America/New_York)',
          ],
        ) + ofSeries,
      [guest]:
        changed(
          'Review',
          'Time: Tuesday, 2026-10-27, 10:30 to 11:30 (Europe/Berlin)',
          [
            'Start',
            'Monday, 2026-10-26, 10:30 (Europe/Berlin)',
            'Tuesday, 2026-10-27, 10:30 (Europe/Berlin)',
          ],
          ['End', 'Monday, 2026-10-26, 11:30 (Europe/Berlin)', 'Tuesday, 2026-10-27, 11:30 (Europe/Berlin)'],
        ) + ofSeries,
    },
    event: { sequence: 2, ...moved[0], guests: [a, accepted, g, r] },
  },
  {
    does: 'an instance is cancelled',
    method: 'CANCEL',
    subject: 'Cancelled: Review',
    run: (gateway, id) => gateway.patch(`${id}_20261102T093000Z`, { status: 'cancelled' }, all),
    texts: {
      [bob]: `${byAlice('cancelled this event.')}\n\nReview\nTime: Monday, 2026-11-02, 04:30 to 05:30 (America/New_York)${place}${ofSeries}`,
      [guest]: `${byAlice('cancelled this event.')}\n\nReview\nTime: Monday, 2026-11-02, 10:30 to 11:30 (Europe/Berlin)${place}${ofSeries}`,
    },
    event: {
      sequence: 2,
      recurrenceId: '2026-11-02T09:30:00.000Z',
      start: '2026-11-02T09:30:00.000Z',
      status: 'CANCELLED',
      starts: null,
      guests: [a, accepted, g, r],
    },
  },
  {
    does: 'the place of the series changes',
    method: 'REQUEST',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { location: null }, all),
    texts: {
      [bob]:
        changed('Review', newYork('04:30 to 05:30'), ['Place', 'Room 3', 'none']).replace(
          '\nPlace: Room 3',
          '',
        ) + repeats,
      [guest]:
        changed('Review', berlin('10:30 to 11:30'), ['Place', 'Room 3', 'none']).replace(
          '\nPlace: Room 3',
          '',
        ) + repeats,
    },
    event: {
      sequence: 1,
      location: null,
      starts: starts('30', '2026-11-02T09:30:00.000Z'),
      excluded: ['2026-11-02T09:30:00.000Z'],
      guests: [a, accepted, g, r],
    },
    instances: moved.map((instance) => ({ ...instance, sequence: 2, location: null })),
  },
  {
    does: 'the series is cancelled',
    method: 'CANCEL',
    subject: 'Cancelled: Review',
    run: (gateway, id) => gateway.patch(id, { status: 'cancelled' }, all),
    texts: {
      [bob]: `${byAlice('cancelled this event.')}\n\nReview\n${newYork('04:30 to 05:30')}\nOrganizer: Alice (alice@example.com)${repeats}`,
      [guest]: `${byAlice('cancelled this event.')}\n\nReview\n${berlin('10:30 to 11:30')}\nOrganizer: Alice (alice@example.com)${repeats}`,
    },
    event: { sequence: 2, recurrenceId: null, status: 'CANCELLED', guests: [a, accepted, g, r] },
  },
  {
    does: 'the series is restored',
    method: 'REQUEST',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { status: 'confirmed' }, all),
    texts: {
      [bob]: changed('Review', newYork('04:30 to 05:30')).replace('\nPlace: Room 3', '') + repeats,
      [guest]: changed('Review', berlin('10:30 to 11:30')).replace('\nPlace: Room 3', '') + repeats,
    },
    event: {
      sequence: 3,
      recurrenceId: null,
      status: 'CONFIRMED',
      starts: starts('30', '2026-11-02T09:30:00.000Z'),
      guests: [a, accepted, g, r],
    },
    instances: moved.map((instance) => ({ ...instance, sequence: 3 })),
  },
];

/** The mails that are not as those of their step are otherwise: to who comes and to who goes. */
export const others: Readonly<
  Record<
    string,
    { readonly method?: Step['method']; readonly subject: string; readonly event?: Partial<Step['event']> }
  >
> = {
  [`a guest is added ${carol}`]: { subject: 'Invitation: Review' },
  [`a guest is taken off ${carol}`]: {
    method: 'CANCEL',
    subject: 'Cancelled: Review',
    event: { status: null, guests: [c] },
  },
};
