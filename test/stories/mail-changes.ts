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

/** An instance, or the series. */
const target = fc.option(fc.constantFrom(...starts), { nil: '', freq: 3 });
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
const statuses = fc.constantFrom('accepted', 'declined', 'tentative');
const answers = fc.record({ responseStatus: statuses, comment: fc.constantFrom('Yes', undefined) });
const part = { attendeesOmitted: true };
type Made = readonly [body: object, controls?: object];
/** A change of the series or of an instance, made of some value by one of these people. */
const changeOf = <T>(
  values: fc.Arbitrary<T>,
  callers: readonly string[],
  make: (value: T, as: string, instance: string) => Made,
): fc.Arbitrary<Change> =>
  fc.tuple(target, values, fc.constantFrom(...callers)).map(([instance, value, as]) => {
    const [body, controls] = make(value, as, instance);
    return {
      does: `${as} ${instance} ${JSON.stringify([body, controls])}`,
      run: (gateway, id) =>
        gateway.patch(instance === '' ? id : `${id}_${instance}`, body, { as, ...all, ...controls }),
    };
  });

/** A change by the organizer or by a guest, which may be refused: of a field, of the guest list, an answer, of an instance. */
export const changes: fc.Arbitrary<Change> = fc.oneof(
  changeOf(bodies, [alice, alice, bob], (body, _as, instance) => [
    'end' in body && instance !== '' ? { summary: 'Other' } : body,
  ]),
  changeOf(person, [alice, ...hosts], (guest) => [{}, { attendeeChanges: { add: [guest] } }]),
  changeOf(person, [alice], ({ email }) => [{}, { attendeeChanges: { remove: [email] } }]),
  changeOf(guestLists, [alice], (attendees) => [{ attendees }]),
  changeOf(answers, hosts, (answer, email) => [{ ...part, attendees: [{ email, ...answer }] }]),
  changeOf(fc.constant({ status: 'cancelled' }), hosts, (body) => [body]),
  fc.constantFrom(3, 4).map((count): Change => ({
    does: `${count} instances`,
    run: (gateway, id) => gateway.patch(id, { recurrence: [`RRULE:FREQ=WEEKLY;COUNT=${count}`] }, all),
  })),
);
