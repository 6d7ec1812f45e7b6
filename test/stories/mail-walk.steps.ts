import { alice, bob, carol, type Outcome } from '../event/event.harness.ts';
import type { EventReading } from '../mail/mail-reading.ts';
import { guest, type MailGateway } from './mail-walk.harness.ts';

/** A change of a series, and the mails it must cause. */
export interface Step {
  readonly description: string;
  readonly run: (gateway: MailGateway, id: string) => Promise<Outcome>;
  /** Defaults to `REQUEST`. */
  readonly method?: 'REQUEST' | 'CANCEL' | 'REPLY';
  readonly subject: string;
  /** Text of the mail to each recipient, without its link. */
  readonly texts: Readonly<Record<string, string>>;
  /** Expected first event of each mail; guests as `address STATUS`. */
  readonly event: Partial<Omit<EventReading, 'attendees'>> & { readonly guests: readonly string[] };
  /** Expected instances in mails for the series. */
  readonly instances?: readonly Partial<EventReading>[];
}

const notifyAll = { sendUpdates: 'all' };
const berlinTime = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const times = (start: string, end: string) => ({ start: berlinTime(start), end: berlinTime(end) });

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
/** Starts of the four instances, at these minutes in UTC. The last two are after the end of summer time. */
const expectedStarts = (minutes: string, ...excluded: readonly string[]): string[] =>
  [`10-12T08:${minutes}`, `10-19T08:${minutes}`, `10-26T09:${minutes}`, `11-02T09:${minutes}`]
    .map((start) => `2026-${start}:00.000Z`)
    .filter((start) => !excluded.includes(start));
const lastStart = '2026-11-02T09:30:00.000Z';
const remainingStarts = expectedStarts('30', lastStart);
const guestStatuses = [alice, bob, guest, 'room3@resource.example'].map((address) =>
  address === alice ? `${address} ACCEPTED` : `${address} NEEDS-ACTION`,
);
const bobAccepted = `${bob} ACCEPTED`;
const statusesAfterReply = guestStatuses.with(1, bobAccepted);
const cancelledStatus = { status: 'CANCELLED' };
const movedInstance: Partial<EventReading> = {
  recurrenceId: '2026-10-26T09:30:00.000Z',
  start: '2026-10-27T09:30:00.000Z',
  end: '2026-10-27T10:30:00.000Z',
  summary: 'Review',
  status: 'CONFIRMED',
  starts: null,
};

/** Formats a time in the recipient's zone: New York for Bob, or Berlin. */
type FormatTime = (newYork: string, berlin: string) => string;
const inNewYork: FormatTime = (newYork) => `${newYork} (America/New_York)`;
const inBerlin: FormatTime = (_newYork, berlin) => `${berlin} (Europe/Berlin)`;
/** Texts to Bob and to the guest, which differ in their times. */
const textsToBoth = (text: (time: FormatTime) => string) => ({
  [bob]: text(inNewYork),
  [guest]: text(inBerlin),
});
const firstTimeLine = (time: FormatTime): string =>
  `First time: Monday, 2026-10-12, ${time('04:30 to 05:30', '10:30 to 11:30')}`;
const inTokyo = 'First time: Monday, 2026-10-12, 17:30 to 18:30 (Asia/Tokyo)';

const seriesNote = '\n\nThis event repeats.';
const instanceNote = '\n\nThis is one event of a series.';
const organizerLine = '\nOrganizer: Alice (alice@example.com)';
const placeAndOrganizerLines = `\nPlace: Room 3${organizerLine}`;
const textByAlice = (text: string, title = 'Review'): string =>
  `Alice (alice@example.com) ${text}\n\n${title}\n`;
const invitedText = 'invited you to this event.';
const changedText = 'changed this event.';
const cancelledText = 'cancelled this event.';
const descriptionLine = '\nDescription: What comes next';
type Difference = readonly [label: string, before: string, now: string];
const changesText = (...list: readonly Difference[]): string =>
  `\n\nWhat changed:${list.map(([label, before, now]) => `\n${label}\n  before: ${before}\n  now: ${now}`).join('')}`;

const newTitle = changesText(['Title', 'Planning', 'Review']);
const removedPlace = changesText(['Place', 'Room 3', 'none']);

/** Steps from the invitation to the end of a series. Each depends on the ones before it. */
export const steps: readonly Step[] = [
  {
    description: 'the event is new',
    subject: 'Invitation: Planning',
    run: (gateway) => gateway.insert(series, notifyAll),
    texts: textsToBoth((time) => {
      const hours = time('04:00 to 05:00', '10:00 to 11:00');
      return `${textByAlice(invitedText, 'Planning')}First time: Monday, 2026-10-12, ${hours}${placeAndOrganizerLines}${descriptionLine}${seriesNote}`;
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
      starts: expectedStarts('00'),
      excluded: [],
      guests: guestStatuses,
    },
  },
  {
    description: 'its time changes',
    subject: 'Updated: Planning',
    run: (gateway, id) =>
      gateway.patch(id, times('2026-10-12T10:30:00+02:00', '2026-10-12T11:30:00+02:00'), notifyAll),
    texts: textsToBoth((time) => {
      const dayAndTime = (newYork: string, berlin: string): string =>
        `Monday, 2026-10-12, ${time(newYork, berlin)}`;
      const start: Difference = ['Start', dayAndTime('04:00', '10:00'), dayAndTime('04:30', '10:30')];
      const end: Difference = ['End', dayAndTime('05:00', '11:00'), dayAndTime('05:30', '11:30')];
      return (
        textByAlice(changedText, 'Planning') +
        firstTimeLine(time) +
        placeAndOrganizerLines +
        changesText(start, end) +
        seriesNote
      );
    }),
    event: {
      sequence: 1,
      start: '2026-10-12T08:30:00.000Z',
      end: '2026-10-12T09:30:00.000Z',
      starts: expectedStarts('30'),
      guests: guestStatuses,
    },
  },
  {
    description: 'its title changes',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { summary: 'Review' }, notifyAll),
    texts: textsToBoth(
      (time) =>
        textByAlice(changedText) + firstTimeLine(time) + placeAndOrganizerLines + newTitle + seriesNote,
    ),
    event: { sequence: 1, summary: 'Review', starts: expectedStarts('30'), guests: guestStatuses },
  },
  {
    description: 'a guest is added',
    subject: 'Updated: Review',
    run: (gateway, id) =>
      gateway.patch(id, {}, { attendeeChanges: { add: [{ email: carol }] }, ...notifyAll }),
    texts: {
      ...textsToBoth(
        (time) => textByAlice(changedText) + firstTimeLine(time) + placeAndOrganizerLines + seriesNote,
      ),
      [carol]: textByAlice(invitedText) + inTokyo + placeAndOrganizerLines + descriptionLine + seriesNote,
    },
    event: { sequence: 1, starts: expectedStarts('30'), guests: [...guestStatuses, `${carol} NEEDS-ACTION`] },
  },
  {
    description: 'a guest is removed',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, {}, { attendeeChanges: { remove: [carol] }, ...notifyAll }),
    texts: {
      ...textsToBoth(
        (time) => textByAlice(changedText) + firstTimeLine(time) + placeAndOrganizerLines + seriesNote,
      ),
      [carol]:
        textByAlice('removed you from the guest list of this event.') +
        inTokyo +
        placeAndOrganizerLines +
        seriesNote,
    },
    event: { sequence: 1, starts: expectedStarts('30'), guests: guestStatuses },
  },
  {
    description: 'a guest responds',
    method: 'REPLY',
    subject: 'Accepted: Review',
    run: (gateway, id) => {
      const attendees = [{ email: bob, responseStatus: 'accepted', comment: 'I come; later' }];
      return gateway.patch(id, { attendeesOmitted: true, attendees }, { as: bob, ...notifyAll });
    },
    texts: {
      [alice]: `Bob (bob@example.com) accepted the invitation.\n\nReview\n${firstTimeLine(inBerlin)}${placeAndOrganizerLines}\nComment: I come; later${seriesNote}`,
    },
    event: { sequence: 1, comment: 'I come; later', guests: [bobAccepted] },
  },
  {
    description: 'an instance moves',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(`${id}_20261026T093000Z`, nextDay, notifyAll),
    texts: textsToBoth((time) => {
      const days = (newYork: string, berlin: string) =>
        ['Monday, 2026-10-26', 'Tuesday, 2026-10-27'].map((day) => `${day}, ${time(newYork, berlin)}`);
      const [start = '', newStart = ''] = days('05:30', '10:30');
      const [end = '', newEnd = ''] = days('06:30', '11:30');
      const newTimeLine = `Time: Tuesday, 2026-10-27, ${time('05:30 to 06:30', '10:30 to 11:30')}`;
      const difference = changesText(['Start', start, newStart], ['End', end, newEnd]);
      return textByAlice(changedText) + newTimeLine + placeAndOrganizerLines + difference + instanceNote;
    }),
    event: { sequence: 2, ...movedInstance, guests: statusesAfterReply },
  },
  {
    description: 'an instance is cancelled',
    method: 'CANCEL',
    subject: 'Cancelled: Review',
    run: (gateway, id) => gateway.patch(`${id}_20261102T093000Z`, { status: 'cancelled' }, notifyAll),
    texts: textsToBoth((time) => {
      const timeLine = `Time: Monday, 2026-11-02, ${time('04:30 to 05:30', '10:30 to 11:30')}`;
      return textByAlice(cancelledText) + timeLine + placeAndOrganizerLines + instanceNote;
    }),
    event: {
      sequence: 2,
      recurrenceId: lastStart,
      start: lastStart,
      starts: null,
      ...cancelledStatus,
      guests: statusesAfterReply,
    },
  },
  {
    description: 'the place of the series changes',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { location: null }, notifyAll),
    texts: textsToBoth(
      (time) => textByAlice(changedText) + firstTimeLine(time) + organizerLine + removedPlace + seriesNote,
    ),
    event: {
      sequence: 1,
      location: null,
      starts: remainingStarts,
      excluded: [lastStart],
      guests: statusesAfterReply,
    },
    instances: [{ ...movedInstance, sequence: 2, location: null }],
  },
  {
    description: 'the series is cancelled',
    method: 'CANCEL',
    subject: 'Cancelled: Review',
    run: (gateway, id) => gateway.patch(id, { status: 'cancelled' }, notifyAll),
    texts: textsToBoth(
      (time) => textByAlice(cancelledText) + firstTimeLine(time) + organizerLine + seriesNote,
    ),
    event: { sequence: 2, recurrenceId: null, status: 'CANCELLED', guests: statusesAfterReply },
  },
  {
    description: 'the series is restored',
    subject: 'Updated: Review',
    run: (gateway, id) => gateway.patch(id, { status: 'confirmed' }, notifyAll),
    texts: textsToBoth((time) => textByAlice(changedText) + firstTimeLine(time) + organizerLine + seriesNote),
    event: {
      sequence: 3,
      recurrenceId: null,
      status: 'CONFIRMED',
      starts: remainingStarts,
      guests: statusesAfterReply,
    },
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
