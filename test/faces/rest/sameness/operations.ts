import { anyBody, anyControls } from '../../../event/any-body.ts';
import { alice, bob, carol, fritz } from '../../../event/event.harness.ts';
import { fc } from '../../../property.ts';
import { callers } from '../../../random/cast.ts';
import { organizerOf, requestBy, type Args, type Make, type Operation } from '../../../random/operation.ts';
import { anyEvent, seatOn, writers } from '../../../random/seats.ts';
import { bucketWrite } from '../../../random/bucket-writes.ts';
import { calendarReads, calendarWrites } from '../../../random/calendar-writes.ts';
import { reads } from '../../../random/event-reads.ts';
import { writes } from '../../../random/event-writes.ts';
import { notification } from '../../../random/notifications.ts';
import { times } from '../../../random/bodies.ts';
import type { Random, Weighted } from '../../../random/seed.ts';
import { bodyOf, isOffered, withLists } from './requests.ts';

/** An operation, and how it is sent. */
export interface Step extends Operation {
  /** Of the token; absent: all. None at all: there is no token. */
  readonly scopes?: readonly string[];
  /** The argument whose value has not the form of its type. */
  readonly broken?: string;
}

/** What was read is put back, with one field changed or not: as a patch of that field. */
const replace: Make = (random, known) => {
  const { made, eventId } = anyEvent(random, known);
  const seat = random.chance(0.6) ? organizerOf(made) : seatOn(random, made, writers);
  const text = random.pick(['Plan', 'Put', null]);
  const event = random.weighted<Args>([
    [5, {}],
    [1, { summary: text }],
    [1, { description: text }],
    [1, { location: text }],
    [1, { colorId: random.pick(['3', null]) }],
    [1, { transparency: random.pick(['transparent', null]) }],
    [1, { visibility: random.pick(['private', 'public', null]) }],
    [1, { status: 'cancelled' }],
  ]);
  const support = random.chance(0.5) ? { supportsAttachments: true, conferenceDataVersion: 1 } : {};
  return [
    requestBy(seat, 'replaceEvent', {
      eventId,
      event,
      ...support,
      ...(random.chance(0.15) && { ifMatch: random.pick<unknown>([{ $etagOf: eventId }, '"other"', '*']) }),
    }),
  ];
};

/** A value as JSON has it: without what is undefined. */
const sampled = (random: Random, arbitrary: fc.Arbitrary<object>): Args =>
  JSON.parse(JSON.stringify(fc.sample(arbitrary, { seed: random.below(2 ** 31), numRuns: 1 })[0])) as Args;

/** Any body there is, much of it wrong, as an event or as its change. */
const anything: Make = (random, known) => {
  const { callLink, ...rest } = withLists('patchEvent', 'event', sampled(random, anyBody));
  const body = callLink === undefined ? rest : { ...rest, hangoutLink: callLink };
  const { made, eventId } = anyEvent(random, known);
  const controls = sampled(random, anyControls);
  if (random.chance(0.5))
    return [requestBy(seatOn(random, made, writers), 'patchEvent', { eventId, event: body, ...controls })];
  return [
    requestBy(organizerOf(made), 'insertEvent', {
      event: { ...body, ...(random.chance(0.8) && times(random, false).body) },
      ...controls,
    }),
  ];
};

const busy: Make = (random) => [
  {
    name: 'freeBusy',
    as: random.pick(callers),
    args: {
      timeMin: random.pick(['2026-12-01T00:00:00Z', '2026-12-03T09:10:00+01:00']),
      timeMax: random.pick([
        '2026-12-09T00:00:00Z',
        '2026-12-20T00:00:00-05:00',
        '2026-12-01T00:00:00Z',
        '2027-12-01T00:00:00Z',
      ]),
      calendarIds: random.some([alice, bob, carol, 'primary', 'nobody@example.com', fritz]),
      ...(random.chance(0.4) && { timeZone: random.pick(['America/New_York', 'Europe/Nowhere']) }),
    },
  },
];

export const kinds: Weighted<Make> = [
  ...writes,
  ...reads,
  ...calendarWrites,
  ...calendarReads,
  [6, notification],
  [6, bucketWrite],
  [10, replace],
  [4, busy],
  [15, anything],
];

const breaks: readonly (readonly [argument: string, value: unknown, ofNames: RegExp])[] = [
  ['sendUpdates', 'some', /^(insert|patch|delete)Event$/],
  ['timeMin', 'yesterday', /^(events|instances)$/],
  ['updatedMin', '2026-12-01', /^events$/],
  ['orderBy', 'name', /^events$/],
  ['maxAttendees', 'many', /^(event|events|insertEvent|patchEvent)$/],
  ['supportsAttachments', 'yes', /^(insert|patch)Event$/],
  ['validateOnly', 'perhaps', /^(insert|patch)/],
  ['conferenceDataVersion', '1.5', /^(insert|patch)Event$/],
  ['first', '2.5', /^(events|instances|buckets)$/],
];
const scopes = ['calendar.readonly', 'calendar.events', 'devstorage.read_only', 'devstorage.read_write'].map(
  (name) => `https://www.googleapis.com/auth/${name}`,
);

const wrong: readonly unknown[] = [
  ...[null, 1.5, 7, true, '', 'nonsense', {}, [], [null], { a: { b: 1 } }, '\u0000', 'x'.repeat(9000)],
];

/** One field of its body has any other value. */
function spoiled(random: Random, { name, args, ...rest }: Operation): Operation {
  const argument = bodyOf(name);
  const body = argument === undefined ? undefined : args[argument];
  if (
    argument === undefined ||
    !isOffered(name, args) ||
    typeof body !== 'object' ||
    body === null ||
    Object.keys(body).some((field) => field.startsWith('$'))
  )
    return { name, args, ...rest };
  const field = random.pick([...Object.keys(body), 'kind', 'etag', 'id', 'updated', 'no such field']);
  return {
    name,
    ...rest,
    args: { ...args, [argument]: withLists(name, argument, { ...body, [field]: random.pick(wrong) }) },
  };
}

/** The same operation, once in a while with a field of any value, with a parameter that does not parse, or with a token that may not do it. */
export function disturbed(random: Random, operation: Operation): Step {
  if (random.chance(0.03)) return { ...operation, scopes: random.chance(0.2) ? [] : [random.pick(scopes)] };
  if (random.chance(0.06)) return spoiled(random, operation);
  const fitting = breaks.filter(([, , names]) => names.test(operation.name));
  if (fitting.length === 0 || !random.chance(0.05)) return operation;
  const [argument, value] = random.pick(fitting);
  return { ...operation, broken: argument, args: { ...operation.args, [argument]: value } };
}
