import { alice, bob, carol, type Outcome } from '../event/event.harness.ts';
import { fc } from '../property.ts';
import type { MailGateway } from './mail-walk.harness.ts';

/** People whose names have no words that occur elsewhere in mails. */
export const people = [
  { email: alice, displayName: 'Adelheid Quantum' },
  { email: bob, displayName: 'Boguslaw Xylander' },
  { email: carol, displayName: 'Çarolin Ömerich-Zwölfer' },
  { email: 'Gus@elsewhere.example', displayName: 'Gustavo Ypsilon' },
  { email: 'ida+tag@elsewhere.example', displayName: 'Idalinde "Ischia" Jottwede' },
  { email: 'max@grüße.example', displayName: 'Maximilian; Würze,bürger' },
];
const localGuests = [bob, carol];

/** A change of a series or one of its instances. */
export interface Change {
  readonly description: string;
  readonly run: (gateway: MailGateway, id: string) => Promise<Outcome>;
}

const notifyAll = { sendUpdates: 'all' };
const originalStarts = ['20261012T080000Z', '20261019T080000Z', '20261026T090000Z', '20261102T090000Z'];
const berlinTime = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });

/** A series on four Mondays, which guests may modify. */
export const seriesWith = (attendees: readonly object[], extraFields: object = {}): object => ({
  summary: 'Planning',
  start: berlinTime('2026-10-12T10:00:00+02:00'),
  end: berlinTime('2026-10-12T11:00:00+02:00'),
  recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
  guestsCanModify: true,
  attendees,
  ...extraFields,
});

/** The original start of an instance, or an empty text for the series. */
const anyInstanceOrSeries = fc.option(fc.constantFrom(...originalStarts), { nil: '', freq: 3 });
const anyGuest = fc.constantFrom(...people.slice(1));
export const anyGuestList = fc.subarray(people, { minLength: 2 });
const anyBody = fc.constantFrom<object>(
  { summary: 'Review' },
  { summary: 'Planning' },
  { location: 'Room 1' },
  { description: 'Bring\nnothing' },
  { location: null },
  { colorId: '3' },
  { end: berlinTime('2026-10-12T11:30:00+02:00') },
  { status: 'cancelled' },
  { status: 'confirmed' },
  { status: 'tentative' },
  { sequence: 9 },
);
const anyStatus = fc.constantFrom('accepted', 'declined', 'tentative');
const anyResponse = fc.record({ responseStatus: anyStatus, comment: fc.constantFrom('Yes', undefined) });
const partialList = { attendeesOmitted: true };
type PatchArguments = readonly [body: object, controls?: object];
/** A random patch of the series or an instance, by one of the callers. */
const anyChangeOf = <T>(
  values: fc.Arbitrary<T>,
  callers: readonly string[],
  createPatch: (value: T, as: string, instance: string) => PatchArguments,
): fc.Arbitrary<Change> =>
  fc.tuple(anyInstanceOrSeries, values, fc.constantFrom(...callers)).map(([instance, value, as]) => {
    const [body, controls] = createPatch(value, as, instance);
    return {
      description: `${as} ${instance} ${JSON.stringify([body, controls])}`,
      run: (gateway, id) =>
        gateway.patch(instance === '' ? id : `${id}_${instance}`, body, { as, ...notifyAll, ...controls }),
    };
  });

/** A change by the organizer or a guest, which may be refused: of fields, guests, responses or the recurrence. */
export const anyChange: fc.Arbitrary<Change> = fc.oneof(
  // An instance cannot end on the first day of its series.
  anyChangeOf(anyBody, [alice, alice, bob], (body, _as, instance) => [
    'end' in body && instance !== '' ? { summary: 'Other' } : body,
  ]),
  anyChangeOf(anyGuest, [alice, ...localGuests], (guest) => [{}, { attendeeChanges: { add: [guest] } }]),
  anyChangeOf(anyGuest, [alice], ({ email }) => [{}, { attendeeChanges: { remove: [email] } }]),
  anyChangeOf(anyGuestList, [alice], (attendees) => [{ attendees }]),
  anyChangeOf(anyResponse, localGuests, (response, email) => [
    { ...partialList, attendees: [{ email, ...response }] },
  ]),
  anyChangeOf(fc.constant({ status: 'cancelled' }), localGuests, (body) => [body]),
  fc.constantFrom(3, 4).map((count): Change => ({
    description: `${count} instances`,
    run: (gateway, id) => gateway.patch(id, { recurrence: [`RRULE:FREQ=WEEKLY;COUNT=${count}`] }, notifyAll),
  })),
);
