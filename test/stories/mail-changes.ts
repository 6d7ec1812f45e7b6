import { alice, bob, carol, type Outcome } from '../event/event.harness.ts';
import { fc } from '../property.ts';
import type { MailGateway } from './mail-walk.harness.ts';

/** People whose names have no words that stand elsewhere in a mail. */
export const people = [
  { email: alice, displayName: 'Adelheid Quantum' },
  { email: bob, displayName: 'Boguslaw Xylander' },
  { email: carol, displayName: 'Çarolin Ömerich-Zwölfer' },
  { email: 'Gus@elsewhere.example', displayName: 'Gustavo Ypsilon' },
  { email: 'ida+tag@elsewhere.example', displayName: 'Idalinde "Ischia" Jottwede' },
  { email: 'max@grüße.example', displayName: 'Maximilian; Würze,bürger' },
];
const hosts = [bob, carol];

export interface Change {
  readonly does: string;
  readonly run: (gateway: MailGateway, id: string) => Promise<Outcome>;
}

const all = { sendUpdates: 'all' };
const starts = ['20261012T080000Z', '20261019T080000Z', '20261026T090000Z', '20261102T090000Z'];
const time = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });

/** Four Mondays, whose guests may change it. */
export const seriesWith = (attendees: readonly object[], more: object = {}): object => ({
  summary: 'Planning',
  start: time('2026-10-12T10:00:00+02:00'),
  end: time('2026-10-12T11:00:00+02:00'),
  recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
  guestsCanModify: true,
  attendees,
  ...more,
});

const target = fc.option(fc.constantFrom(...starts), { nil: undefined, freq: 3 });
const person = fc.constantFrom(...people.slice(1));
export const guestLists = fc.subarray(people, { minLength: 2 });
const bodies = fc.constantFrom<object>(
  { summary: 'Review' },
  { summary: 'Planning' },
  { location: 'Room 1' },
  { description: 'Bring\nnothing' },
  { location: null },
  { colorId: '3' },
  { end: time('2026-10-12T11:30:00+02:00') },
  { status: 'cancelled' },
  { status: 'confirmed' },
  { status: 'tentative' },
  { sequence: 9 },
);
const answers = fc.record({
  responseStatus: fc.constantFrom('accepted', 'declined', 'tentative'),
  comment: fc.constantFrom('Yes', undefined),
});
const at = (id: string, instance: string | undefined): string =>
  instance === undefined ? id : `${id}_${instance}`;
const made = (does: string, instance: string | undefined, body: object, controls: object): Change => ({
  does: `${does} ${instance ?? ''} ${JSON.stringify([body, controls])}`,
  run: (gateway, id) => gateway.patch(at(id, instance), body, { ...all, ...controls }),
});

/** A change by the organizer or by a guest, which may be refused: of a field, of the guest list, an answer, of an instance. */
export const changes: fc.Arbitrary<Change> = fc.oneof(
  fc
    .tuple(target, bodies, fc.constantFrom(alice, alice, bob))
    .map(([instance, body, as]) =>
      made('patch', instance, 'end' in body && instance !== undefined ? { summary: 'Other' } : body, { as }),
    ),
  fc
    .tuple(target, person, fc.constantFrom(alice, ...hosts))
    .map(([instance, { email, displayName }, as]) =>
      made('add', instance, {}, { as, attendeeChanges: { add: [{ email, displayName }] } }),
    ),
  fc
    .tuple(target, person)
    .map(([instance, { email }]) => made('remove', instance, {}, { attendeeChanges: { remove: [email] } })),
  fc.tuple(target, guestLists).map(([instance, attendees]) => made('replace', instance, { attendees }, {})),
  fc
    .tuple(target, fc.constantFrom(...hosts), answers)
    .map(([instance, as, answer]) =>
      made('answer', instance, { attendeesOmitted: true, attendees: [{ email: as, ...answer }] }, { as }),
    ),
  fc
    .tuple(target, fc.constantFrom(...hosts))
    .map(([instance, as]) => made('leave', instance, { status: 'cancelled' }, { as })),
  fc
    .constantFrom(['RRULE:FREQ=WEEKLY;COUNT=3'], ['RRULE:FREQ=WEEKLY;COUNT=4'])
    .map((recurrence) => made('rule', undefined, { recurrence }, {})),
);
