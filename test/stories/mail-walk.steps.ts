import { alice, bob, carol, type Outcome } from '../event/event.harness.ts';
import type { EventReading } from '../mail/reading.ts';
import { guest, type MailGateway } from './mail-walk.harness.ts';

/** A change of a series, and the mails it must cause. */
export interface Step {
  readonly description: string;
  readonly run: (gateway: MailGateway, id: string) => Promise<Outcome>;
  /** Defaults to `REQUEST`. */
  readonly method?: 'REQUEST' | 'CANCEL' | 'REPLY';
  readonly subject: string;
  /** Text of the mail to each receiver, without its link. */
  readonly texts: Readonly<Record<string, string>>;
  /** Expected first event of each mail; guests as `address STATUS`. */
  readonly event: Partial<Omit<EventReading, 'attendees'>> & { readonly guests: readonly string[] };
  /** Expected instances in mails for the series. */
  readonly instances?: readonly Partial<EventReading>[];
}

const toAll = { sendUpdates: 'all' };
const time = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const times = (start: string, end: string) => ({ start: time(start), end: time(end) });

/** Four Mondays across the end of summer time. */
const series = {
  summary: 'Planning',
  location: 'Room 3',
  description: 'What comes next',
  recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
  ...times('2026-10-12T10:00:00+02:00', '2026-10-12T11:00:00+02:00'),
  attendees: [
    { email: alice, displayName: 'Alice', responseStatus: 'accepted' },
    { email: bob, displayName: 'Bob' },
    { email: guest, displayName: 'Gus, "G"', optional: true },
    { email: 'room3@resource.example', resource: true },
  ],
};
const nextDay = times('2026-10-27T10:30:00+01:00', '2026-10-27T11:30:00+01:00');
const starts = (minutes: string, ...excluded: readonly string[]): string[] =>
  [`10-12T08:${minutes}`, `10-19T08:${minutes}`, `10-26T09:${minutes}`, `11-02T09:${minutes}`]
    .map((start) => `2026-${start}:00.000Z`)
    .filter((start) => !excluded.includes(start));
const lastAt = '2026-11-02T09:30:00.000Z';
const remaining = starts('30', lastAt);
const guestStatuses = [alice, bob, guest, 'room3@resource.example'].map((address) =>
  address === alice ? `${address} ACCEPTED` : `${address} NEEDS-ACTION`,
);
const accepted = `${bob} ACCEPTED`;
const replied = guestStatuses.with(1, accepted);
const off = { status: 'CANCELLED' };
const movedInstance: Partial<EventReading> = {
  recurrenceId: '2026-10-26T09:30:00.000Z',
  start: '2026-10-27T09:30:00.000Z',
  end: '2026-10-27T10:30:00.000Z',
  summary: 'Review',
  status: 'CONFIRMED',
  starts: null,
};

/** Formats a time in the receiver's zone: New York for Bob, or Berlin. */
type FormatTime = (newYork: string, berlin: string) => string;
const inNewYork: FormatTime = (newYork) => `${newYork} (America/New_York)`;
const inBerlin: FormatTime = (_newYork, berlin) => `${berlin} (Europe/Berlin)`;
/** Texts to Bob and to the guest, which differ in their times. */
const both = (text: (time: FormatTime) => string) => ({ [bob]: text(inNewYork), [guest]: text(inBerlin) });
const first = (time: FormatTime): string =>
  `First time: Monday, 2026-10-12, ${time('04:30 to 05:30', '10:30 to 11:30')}`;
const inTokyo = 'First time: Monday, 2026-10-12, 17:30 to 18:30 (Asia/Tokyo)';

const isSeries = '\n\nThis event repeats.';
const isOneOfSeries = '\n\nThis is one event of a series.';
const organizer = '\nOrganizer: Alice (alice@example.com)';
const place = `\nPlace: Room 3${organizer}`;
const byAlice = (text: string, title = 'Review'): string => `Alice (alice@example.com) ${text}\n\n${title}\n`;
const invited = 'invited you to this event.';
const changed = 'changed this event.';
const cancelled = 'cancelled this event.';
const description = '\nDescription: What comes next';
type Difference = readonly [label: string, before: string, now: string];
const changesText = (...list: readonly Difference[]): string =>
  `\n\nWhat changed:${list.map(([label, before, now]) => `\n${label}\n  before: ${before}\n  now: ${now}`).join('')}`;

const newTitle = changesText(['Title', 'Planning', 'Review']);
const noPlace = changesText(['Place', 'Room 3', 'none']);

export const steps: readonly Step[] = [
  {
    description: 'the event is new',
    subject: 'Invitation: Planning',
    run: (gateway) => gateway.insert(series, toAll),
    texts: both((time) => {
      const hours = time('04:00 to 05:00', '10:00 to 11:00');
      return `${byAlice(invited, 'Planning')}First time: Monday, 2026-10-12, ${hours}${place}${description}${isSeries}`;
    }),
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
      guests: guestStatuses,
    },
  },
  {
    description: 'its time changes',
    subject: 'Updated: Planning',
    run: (gateway, id) =>
      gateway.patch(id, times('2026-10-12T10:30:00+02:00', '2026-10-12T11:30:00+02:00'), toAll),
    texts: both((time) => {
      const at = (newYork: string, berlin: string): string => `Monday, 2026-10-12, ${time(newYork, berlin)}`;
      const start: Difference = ['Start', at('04:00', '10:00'), at('04:30', '10:30')];
      const end: Difference = ['End', at('05:00', '11:00'), at('05:30', '11:30')];
      return byAlice(changed, 'Planning') + first(time) + place + changesText(start, end) + isSeries;
    }),
    event: {
      sequence: 1,
      start: '2026-10-12T08:30:00.000Z',
      end: '2026-10-12T09:30:00.000Z',
      starts: starts('30'),
      guests: guestStatuses,
    },
  },
  {
    description: 'its title changes',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { summary: 'Review' }, toAll),
    texts: both((time) => byAlice(changed) + first(time) + place + newTitle + isSeries),
    event: { sequence: 1, summary: 'Review', starts: starts('30'), guests: guestStatuses },
  },
  {
    description: 'a guest is added',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, {}, { attendeeChanges: { add: [{ email: carol }] }, ...toAll }),
    texts: {
      ...both((time) => byAlice(changed) + first(time) + place + isSeries),
      [carol]: byAlice(invited) + inTokyo + place + description + isSeries,
    },
    event: { sequence: 1, starts: starts('30'), guests: [...guestStatuses, `${carol} NEEDS-ACTION`] },
  },
  {
    description: 'a guest is removed',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, {}, { attendeeChanges: { remove: [carol] }, ...toAll }),
    texts: {
      ...both((time) => byAlice(changed) + first(time) + place + isSeries),
      [carol]: byAlice('removed you from the guest list of this event.') + inTokyo + place + isSeries,
    },
    event: { sequence: 1, starts: starts('30'), guests: guestStatuses },
  },
  {
    description: 'a guest answers',
    method: 'REPLY',
    subject: 'Accepted: Review',
    run: (gateway, id) => {
      const attendees = [{ email: bob, responseStatus: 'accepted', comment: 'I come; later' }];
      return gateway.patch(id, { attendeesOmitted: true, attendees }, { as: bob, ...toAll });
    },
    texts: {
      [alice]: `Bob (bob@example.com) accepted the invitation.\n\nReview\n${first(inBerlin)}${place}\nComment: I come; later${isSeries}`,
    },
    event: { sequence: 1, comment: 'I come; later', guests: [accepted] },
  },
  {
    description: 'an instance moves',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(`${id}_20261026T093000Z`, nextDay, toAll),
    texts: both((time) => {
      const days = (newYork: string, berlin: string) =>
        ['Monday, 2026-10-26', 'Tuesday, 2026-10-27'].map((day) => `${day}, ${time(newYork, berlin)}`);
      const [start = '', newStart = ''] = days('05:30', '10:30');
      const [end = '', newEnd = ''] = days('06:30', '11:30');
      const now = `Time: Tuesday, 2026-10-27, ${time('05:30 to 06:30', '10:30 to 11:30')}`;
      const difference = changesText(['Start', start, newStart], ['End', end, newEnd]);
      return byAlice(changed) + now + place + difference + isOneOfSeries;
    }),
    event: { sequence: 2, ...movedInstance, guests: replied },
  },
  {
    description: 'an instance is cancelled',
    method: 'CANCEL',
    subject: 'Cancelled: Review',
    run: (gateway, id) => gateway.patch(`${id}_20261102T093000Z`, { status: 'cancelled' }, toAll),
    texts: both((time) => {
      const at = `Time: Monday, 2026-11-02, ${time('04:30 to 05:30', '10:30 to 11:30')}`;
      return byAlice(cancelled) + at + place + isOneOfSeries;
    }),
    event: { sequence: 2, recurrenceId: lastAt, start: lastAt, starts: null, ...off, guests: replied },
  },
  {
    description: 'the place of the series changes',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { location: null }, toAll),
    texts: both((time) => byAlice(changed) + first(time) + organizer + noPlace + isSeries),
    event: { sequence: 1, location: null, starts: remaining, excluded: [lastAt], guests: replied },
    instances: [{ ...movedInstance, sequence: 2, location: null }],
  },
  {
    description: 'the series is cancelled',
    method: 'CANCEL',
    subject: 'Cancelled: Review',
    run: (gateway, id) => gateway.patch(id, { status: 'cancelled' }, toAll),
    texts: both((time) => byAlice(cancelled) + first(time) + organizer + isSeries),
    event: { sequence: 2, recurrenceId: null, status: 'CANCELLED', guests: replied },
  },
  {
    description: 'the series is restored',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { status: 'confirmed' }, toAll),
    texts: both((time) => byAlice(changed) + first(time) + organizer + isSeries),
    event: { sequence: 3, recurrenceId: null, status: 'CONFIRMED', starts: remaining, guests: replied },
    instances: [{ ...movedInstance, sequence: 3 }],
  },
];

type MailDifference = Pick<Step, 'method' | 'subject'> & { readonly event?: Partial<Step['event']> };
/** Differences of mails to added and removed guests from the others of their step. */
export const mailDifferences: Readonly<Record<string, MailDifference>> = {
  [`a guest is added ${carol}`]: { subject: 'Invitation: Review' },
  [`a guest is removed ${carol}`]: {
    method: 'CANCEL',
    subject: 'Cancelled: Review',
    event: { status: null, guests: [`${carol} NEEDS-ACTION`] },
  },
};

/** Runs all steps on one series, and passes each outcome to `expectStep`. */
export async function runSteps(
  gateway: MailGateway,
  expectStep: (step: Step, outcome: Outcome) => unknown = () => undefined,
): Promise<void> {
  let id = '';
  for (const step of steps) {
    const outcome = await step.run(gateway, id);
    if (id === '') id = outcome.event.id;
    await expectStep(step, outcome);
  }
}
