import { alice, bob, carol, type Outcome } from '../event/event.harness.ts';
import type { EventReading } from '../mail/reading.ts';
import { guest, type MailGateway } from './mail-walk.harness.ts';

/** What happens to a series, and the mails that tell of it. */
export interface Step {
  readonly does: string;
  readonly run: (gateway: MailGateway, id: string) => Promise<Outcome>;
  /** `REQUEST` where nothing else is said. */
  readonly method?: 'REQUEST' | 'CANCEL' | 'REPLY';
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
const starts = (minutes: string, ...left: readonly string[]): string[] =>
  [`10-12T08:${minutes}`, `10-19T08:${minutes}`, `10-26T09:${minutes}`, `11-02T09:${minutes}`]
    .map((start) => `2026-${start}:00.000Z`)
    .filter((start) => !left.includes(start));
const last = '2026-11-02T09:30:00.000Z';
const left = starts('30', last);
const unanswered = [alice, bob, guest, 'room3@resource.example'].map((address) =>
  address === alice ? `${address} ACCEPTED` : `${address} NEEDS-ACTION`,
);
const accepted = `${bob} ACCEPTED`;
const answered = unanswered.with(1, accepted);
const off = { status: 'CANCELLED' };
const moved: Partial<EventReading> = {
  recurrenceId: '2026-10-26T09:30:00.000Z',
  start: '2026-10-27T09:30:00.000Z',
  end: '2026-10-27T10:30:00.000Z',
  summary: 'Review',
  status: 'CONFIRMED',
  starts: null,
};

/** Time as a mail shows it: as Bob has it in New York, or as it is in Berlin. */
type Told = (newYork: string, berlin: string) => string;
const inNewYork: Told = (newYork) => `${newYork} (America/New_York)`;
const inBerlin: Told = (_newYork, berlin) => `${berlin} (Europe/Berlin)`;
/** The texts to Bob and to the guest, which differ in their times. */
const both = (text: (told: Told) => string) => ({ [bob]: text(inNewYork), [guest]: text(inBerlin) });
const first = (told: Told): string =>
  `First time: Monday, 2026-10-12, ${told('04:30 to 05:30', '10:30 to 11:30')}`;
const inTokyo = 'First time: Monday, 2026-10-12, 17:30 to 18:30 (Asia/Tokyo)';

const repeats = '\n\nThis event repeats.';
const ofSeries = '\n\nThis is one event of a series.';
const organizer = '\nOrganizer: Alice (alice@example.com)';
const place = `\nPlace: Room 3${organizer}`;
const byAlice = (what: string, title = 'Review'): string => `Alice (alice@example.com) ${what}\n\n${title}\n`;
const invited = 'invited you to this event.';
const changed = 'changed this event.';
const cancelled = 'cancelled this event.';
const description = '\nDescription: What comes next';
type Difference = readonly [label: string, before: string, now: string];
const changes = (...list: readonly Difference[]): string =>
  `\n\nWhat changed:${list.map(([label, before, now]) => `\n${label}\n  before: ${before}\n  now: ${now}`).join('')}`;

const newTitle = changes(['Title', 'Planning', 'Review']);
const noPlace = changes(['Place', 'Room 3', 'none']);

export const steps: readonly Step[] = [
  {
    does: 'the event is new',
    subject: 'Invitation: Planning',
    run: (gateway) => gateway.insert(series, all),
    texts: both((told) => {
      const hours = told('04:00 to 05:00', '10:00 to 11:00');
      return `${byAlice(invited, 'Planning')}First time: Monday, 2026-10-12, ${hours}${place}${description}${repeats}`;
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
      guests: unanswered,
    },
  },
  {
    does: 'its time changes',
    subject: 'Updated: Planning',
    run: (gateway, id) =>
      gateway.patch(id, times('2026-10-12T10:30:00+02:00', '2026-10-12T11:30:00+02:00'), all),
    texts: both((told) => {
      const at = (newYork: string, berlin: string): string => `Monday, 2026-10-12, ${told(newYork, berlin)}`;
      const start: Difference = ['Start', at('04:00', '10:00'), at('04:30', '10:30')];
      const end: Difference = ['End', at('05:00', '11:00'), at('05:30', '11:30')];
      return byAlice(changed, 'Planning') + first(told) + place + changes(start, end) + repeats;
    }),
    event: {
      sequence: 1,
      start: '2026-10-12T08:30:00.000Z',
      end: '2026-10-12T09:30:00.000Z',
      starts: starts('30'),
      guests: unanswered,
    },
  },
  {
    does: 'its title changes',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { summary: 'Review' }, all),
    texts: both((told) => byAlice(changed) + first(told) + place + newTitle + repeats),
    event: { sequence: 1, summary: 'Review', starts: starts('30'), guests: unanswered },
  },
  {
    does: 'a guest is added',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, {}, { attendeeChanges: { add: [{ email: carol }] }, ...all }),
    texts: {
      ...both((told) => byAlice(changed) + first(told) + place + repeats),
      [carol]: byAlice(invited) + inTokyo + place + description + repeats,
    },
    event: { sequence: 1, starts: starts('30'), guests: [...unanswered, `${carol} NEEDS-ACTION`] },
  },
  {
    does: 'a guest is taken off',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, {}, { attendeeChanges: { remove: [carol] }, ...all }),
    texts: {
      ...both((told) => byAlice(changed) + first(told) + place + repeats),
      [carol]: byAlice('took you off the guest list of this event.') + inTokyo + place + repeats,
    },
    event: { sequence: 1, starts: starts('30'), guests: unanswered },
  },
  {
    does: 'a guest answers',
    method: 'REPLY',
    subject: 'Accepted: Review',
    run: (gateway, id) => {
      const attendees = [{ email: bob, responseStatus: 'accepted', comment: 'I come; later' }];
      return gateway.patch(id, { attendeesOmitted: true, attendees }, { as: bob, ...all });
    },
    texts: {
      [alice]: `Bob (bob@example.com) accepted the invitation.\n\nReview\n${first(inBerlin)}${place}\nComment: I come; later${repeats}`,
    },
    event: { sequence: 1, comment: 'I come; later', guests: [accepted] },
  },
  {
    does: 'an instance moves',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(`${id}_20261026T093000Z`, nextDay, all),
    texts: both((told) => {
      const days = (newYork: string, berlin: string) =>
        ['Monday, 2026-10-26', 'Tuesday, 2026-10-27'].map((day) => `${day}, ${told(newYork, berlin)}`);
      const [start = '', newStart = ''] = days('05:30', '10:30');
      const [end = '', newEnd = ''] = days('06:30', '11:30');
      const now = `Time: Tuesday, 2026-10-27, ${told('05:30 to 06:30', '10:30 to 11:30')}`;
      const difference = changes(['Start', start, newStart], ['End', end, newEnd]);
      return byAlice(changed) + now + place + difference + ofSeries;
    }),
    event: { sequence: 2, ...moved, guests: answered },
  },
  {
    does: 'an instance is cancelled',
    method: 'CANCEL',
    subject: 'Cancelled: Review',
    run: (gateway, id) => gateway.patch(`${id}_20261102T093000Z`, { status: 'cancelled' }, all),
    texts: both((told) => {
      const at = `Time: Monday, 2026-11-02, ${told('04:30 to 05:30', '10:30 to 11:30')}`;
      return byAlice(cancelled) + at + place + ofSeries;
    }),
    event: { sequence: 2, recurrenceId: last, start: last, starts: null, ...off, guests: answered },
  },
  {
    does: 'the place of the series changes',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { location: null }, all),
    texts: both((told) => byAlice(changed) + first(told) + organizer + noPlace + repeats),
    event: { sequence: 1, location: null, starts: left, excluded: [last], guests: answered },
    instances: [{ ...moved, sequence: 2, location: null }],
  },
  {
    does: 'the series is cancelled',
    method: 'CANCEL',
    subject: 'Cancelled: Review',
    run: (gateway, id) => gateway.patch(id, { status: 'cancelled' }, all),
    texts: both((told) => byAlice(cancelled) + first(told) + organizer + repeats),
    event: { sequence: 2, recurrenceId: null, status: 'CANCELLED', guests: answered },
  },
  {
    does: 'the series is restored',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { status: 'confirmed' }, all),
    texts: both((told) => byAlice(changed) + first(told) + organizer + repeats),
    event: { sequence: 3, recurrenceId: null, status: 'CONFIRMED', starts: left, guests: answered },
    instances: [{ ...moved, sequence: 3 }],
  },
];

type Other = Pick<Step, 'method' | 'subject'> & { readonly event?: Partial<Step['event']> };
/** The mails that are not as those of their step are otherwise: to who comes and to who goes. */
export const others: Readonly<Record<string, Other>> = {
  [`a guest is added ${carol}`]: { subject: 'Invitation: Review' },
  [`a guest is taken off ${carol}`]: {
    method: 'CANCEL',
    subject: 'Cancelled: Review',
    event: { status: null, guests: [`${carol} NEEDS-ACTION`] },
  },
};

/** Runs all steps on one series; tells what came of each. */
export async function walk(
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
