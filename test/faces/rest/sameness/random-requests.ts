import { anyBody, anyControls } from '../../../event/body-generators.ts';
import { alice, bob, carol, fritz } from '../../../event/event.harness.ts';
import { fc } from '../../../property.ts';
import { callers } from '../../../random/cast.ts';
import {
  organizerOf,
  makeRequest,
  type Args,
  type MakeRequest,
  type Operation,
} from '../../../random/operation.ts';
import { randomEvent, pickCaller, writerWeights } from '../../../random/roles.ts';
import { makeBucketRequest } from '../../../random/bucket-writes.ts';
import { calendarReads, calendarWrites } from '../../../random/calendar-writes.ts';
import { eventReads } from '../../../random/event-reads.ts';
import { eventWrites } from '../../../random/event-writes.ts';
import { makeNotificationRequest } from '../../../random/notifications.ts';
import { randomTimes } from '../../../random/bodies.ts';
import type { Random, Weighted } from '../../../random/seed.ts';
import { bodyArgumentOf, isOffered, wrapInLists } from './requests.ts';

/** An operation with the faults of its request. */
export interface Step extends Operation {
  /** Scopes of the token; absent for all, empty for no token. */
  readonly scopes?: readonly string[];
  /** Argument whose value does not parse as its type. */
  readonly invalidArgument?: string;
}

/** Sends an event back as read, with at most one field changed. GraphQL patches that field. */
const makeReplaceEvent: MakeRequest = (random, history) => {
  const { created, eventId } = randomEvent(random, history);
  const caller = random.chance(0.6) ? organizerOf(created) : pickCaller(random, created, writerWeights);
  const text = random.pick(['Plan', 'Put', null]);
  const event = random.pickWeighted<Args>([
    [5, {}],
    [1, { summary: text }],
    [1, { description: text }],
    [1, { location: text }],
    [1, { colorId: random.pick(['3', null]) }],
    [1, { transparency: random.pick(['transparent', null]) }],
    [1, { visibility: random.pick(['private', 'public', null]) }],
    [1, { status: 'cancelled' }],
  ]);
  const featureControls = random.chance(0.5) ? { supportsAttachments: true, conferenceDataVersion: 1 } : {};
  return [
    makeRequest(caller, 'replaceEvent', {
      eventId,
      event,
      ...featureControls,
      ...(random.chance(0.15) && { ifMatch: random.pick<unknown>([{ $etagOf: eventId }, '"other"', '*']) }),
    }),
  ];
};

/** Samples a value and removes undefined fields, as JSON does. */
const sampleBody = (random: Random, arbitrary: fc.Arbitrary<object>): Args =>
  JSON.parse(
    JSON.stringify(fc.sample(arbitrary, { seed: random.integerBelow(2 ** 31), numRuns: 1 })[0]),
  ) as Args;

/** Inserts or patches an event with an arbitrary, mostly invalid body. */
const makeArbitraryWrite: MakeRequest = (random, history) => {
  const { callLink, ...otherFields } = wrapInLists('patchEvent', 'event', sampleBody(random, anyBody));
  const body = callLink === undefined ? otherFields : { ...otherFields, hangoutLink: callLink };
  const { created, eventId } = randomEvent(random, history);
  const controls = sampleBody(random, anyControls);
  if (random.chance(0.5))
    return [
      makeRequest(pickCaller(random, created, writerWeights), 'patchEvent', {
        eventId,
        event: body,
        ...controls,
      }),
    ];
  return [
    makeRequest(organizerOf(created), 'insertEvent', {
      event: { ...body, ...(random.chance(0.8) && randomTimes(random, false).body) },
      ...controls,
    }),
  ];
};

const makeFreeBusyQuery: MakeRequest = (random) => [
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
      calendarIds: random.pickSome([alice, bob, carol, 'primary', 'nobody@example.com', fritz]),
      ...(random.chance(0.4) && { timeZone: random.pick(['America/New_York', 'Europe/Nowhere']) }),
    },
  },
];

export const requestKinds: Weighted<MakeRequest> = [
  ...eventWrites,
  ...eventReads,
  ...calendarWrites,
  ...calendarReads,
  [6, makeNotificationRequest],
  [6, makeBucketRequest],
  [10, makeReplaceEvent],
  [4, makeFreeBusyQuery],
  [15, makeArbitraryWrite],
];

/** Values that do not parse as the type of their argument, and the operations that have it. */
const invalidParameters: readonly (readonly [argument: string, value: unknown, ofNames: RegExp])[] = [
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
const partialScopes = [
  'calendar.readonly',
  'calendar.events',
  'devstorage.read_only',
  'devstorage.read_write',
].map((name) => `https://www.googleapis.com/auth/${name}`);

/** Values for any field of a body. */
const invalidValues: readonly unknown[] = [
  ...[null, 1.5, 7, true, '', 'nonsense', {}, [], [null], { a: { b: 1 } }, '\u0000', 'x'.repeat(9000)],
];

/** Sets one field of the body to an arbitrary value. */
function spoilBody(random: Random, { name, args, ...operationFields }: Operation): Operation {
  const argument = bodyArgumentOf(name);
  const body = argument === undefined ? undefined : args[argument];
  if (
    argument === undefined ||
    !isOffered(name, args) ||
    typeof body !== 'object' ||
    body === null ||
    Object.keys(body).some((field) => field.startsWith('$'))
  )
    return { name, args, ...operationFields };
  const field = random.pick([...Object.keys(body), 'kind', 'etag', 'id', 'updated', 'no such field']);
  return {
    name,
    ...operationFields,
    args: {
      ...args,
      [argument]: wrapInLists(name, argument, { ...body, [field]: random.pick(invalidValues) }),
    },
  };
}

/** Returns the operation, sometimes with an arbitrary field value, an invalid parameter, or insufficient scopes. */
export function addFault(random: Random, operation: Operation): Step {
  if (random.chance(0.03))
    return { ...operation, scopes: random.chance(0.2) ? [] : [random.pick(partialScopes)] };
  if (random.chance(0.06)) return spoilBody(random, operation);
  const candidates = invalidParameters.filter(([, , names]) => names.test(operation.name));
  if (candidates.length === 0 || !random.chance(0.05)) return operation;
  const [argument, value] = random.pick(candidates);
  return { ...operation, invalidArgument: argument, args: { ...operation.args, [argument]: value } };
}
