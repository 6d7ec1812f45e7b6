import { addOnConference, bodiesByKind, validUrl, writers } from '../../event/body-generators.ts';
import {
  alice,
  bob,
  carol,
  oneDay,
  eve,
  oneHour,
  popupOverride,
  room,
  useEventGateway,
  zonedHour,
  type EventGateway,
} from '../../event/event.harness.ts';
import { fc } from '../../property.ts';
import { expectSameEvent, outcomeOf, useFront } from './upstream.harness.ts';

const runCount = Number(process.env.TEST_RUNS ?? 60);
/** Excludes a guest's view of a cancelled event: services show only its id. */
const writableKinds = writers.filter(({ kind, as }) => kind !== 'cancelled' || as === alice);

const oneOf = fc.constantFrom;
const anyGuest = fc.record(
  {
    email: oneOf(alice, bob, 'BOB@example.com', carol, eve, room, 'nobody'),
    displayName: oneOf('A', null),
    optional: fc.boolean(),
    comment: oneOf('', 'C', null),
    responseStatus: oneOf('accepted', 'needsAction', null),
    additionalGuests: oneOf(0, 2),
    resource: fc.boolean(),
    self: fc.boolean(),
  },
  { requiredKeys: ['email'] },
);
const anyBody = fc.record(
  {
    summary: oneOf('', 'S', null),
    description: oneOf('D', null),
    location: oneOf('There', null),
    colorId: oneOf('1', '12', null),
    transparency: oneOf('opaque', 'transparent', null),
    visibility: oneOf('private', null),
    start: oneOf<object | null>(
      oneHour.start,
      zonedHour.start,
      oneDay.start,
      { dateTime: '2027-01-01T10:00:00Z' },
      { timeZone: 'Mars/Olympus' },
      null,
    ),
    end: oneOf<object>(oneHour.end, zonedHour.end, oneDay.end, { dateTime: '2026-12-01T10:30:00+01:00' }),
    recurrence: oneOf(['RRULE:FREQ=DAILY'], ['RRULE:FREQ=NEVER'], [], null),
    status: oneOf('confirmed', 'tentative', 'cancelled', null),
    sequence: oneOf(0, 7, null),
    guestsCanModify: oneOf(true, false, null),
    guestsCanInviteOthers: oneOf(true, false),
    guestsCanSeeOtherGuests: oneOf(true, false),
    anyoneCanAddSelf: oneOf(true, null),
    endTimeUnspecified: oneOf(true, null),
    iCalUID: oneOf('other'),
    privateCopy: oneOf(true, false),
    locked: oneOf(true),
    attendees: fc.oneof(fc.constant(null), fc.array(anyGuest, { maxLength: 4 })),
    attendeesOmitted: fc.boolean(),
    attachments: oneOf([{ fileUrl: validUrl }], [{ fileUrl: validUrl, title: 'T' }], [], null),
    source: oneOf({ url: validUrl }, { title: 'T' }, null),
    reminders: oneOf(
      { useDefault: true, overrides: null },
      { useDefault: false, overrides: [{ method: 'sms', minutes: 5 }, popupOverride(0)] },
      { overrides: [popupOverride(1)] },
      null,
    ),
    extendedProperties: oneOf(
      { private: { a: null, c: 'x' } },
      { shared: { b: 'y' } },
      { private: { a: '' }, shared: { b: null } },
      null,
    ),
    gadget: oneOf({ height: 5, preferences: { a: '1' } }, { height: 0 }, null),
    conferenceData: oneOf<object | null>(
      addOnConference,
      { createRequest: { requestId: '' } },
      { notes: 'N' },
      null,
    ),
    htmlLink: oneOf('x'),
    created: oneOf('2020-01-01T00:00:00Z'),
    kind: oneOf('calendar#event'),
  },
  { requiredKeys: [] },
);
/** Generates a body with about a sixth of the fields. */
const anySparseBody = fc
  .tuple(anyBody, fc.infiniteStream(fc.nat(5)))
  .map(([allFields, dice]) =>
    Object.fromEntries(Object.entries(allFields).filter(() => dice.next().value === 0)),
  );
const anyAttendeeChanges = fc.record(
  {
    add: fc.array(anyGuest, { maxLength: 3 }),
    remove: fc.array(oneOf(bob, eve, alice, carol), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const anyOptions = fc.record(
  {
    attendeeChanges: fc.option(anyAttendeeChanges, { freq: 5, nil: undefined }),
    validateOnly: oneOf(undefined, undefined, undefined, true),
    conferenceDataVersion: oneOf(undefined, 0, 1),
    supportsAttachments: oneOf(undefined, true),
    maxAttendees: oneOf(undefined, undefined, 1),
    sendUpdates: oneOf(undefined, 'all', 'none'),
  },
  { requiredKeys: [] },
);

/** Dry runs with guests or a conference: only the service knows their response statuses and signatures. */
const needsServiceKnowledge = (
  { attendees, conferenceData }: Readonly<Record<string, unknown>>,
  { validateOnly, attendeeChanges }: Readonly<Record<string, unknown>>,
): boolean => validateOnly === true && Boolean(attendees ?? attendeeChanges ?? conferenceData);

describe('any write through the calendar service', () => {
  const ownGateway = useEventGateway();
  const { service, front } = useFront();
  const problemPath = (problem: string): string => problem.replace(/^\S+ /, '');
  let eventCount = 0;
  const nextId = (): string => `random${(eventCount += 1)}`;

  test('patches with the state, issues and warnings of the own store', async () => {
    const outcomes = { applied: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        oneOf(...writableKinds),
        anySparseBody,
        anyOptions,
        async ({ kind, as }, event, options) => {
          fc.pre(!needsServiceKnowledge(event, options));
          const id = nextId();
          for (const gateway of [ownGateway, service])
            await gateway.makeEvent(
              { ...bodiesByKind[kind], id },
              { supportsAttachments: true, conferenceDataVersion: 1 },
            );
          front.takeMethods();
          const ownOutcome = await ownGateway.patch(id, event, { ...options, as });
          const frontOutcome = await front.patch(id, event, { ...options, as });
          outcomes[ownOutcome.errors ? 'refused' : 'applied'] += 1;
          // Problems of the body alone are reported without a read, so problems that depend on the event are
          // missing.
          if (frontOutcome.errors && front.takeMethods() === '')
            expect(ownOutcome.problems.map(problemPath)).toEqual(
              expect.arrayContaining(frontOutcome.problems.map(problemPath)),
            );
          else expect(outcomeOf(frontOutcome)).toEqual(outcomeOf(ownOutcome));
          await expectSameEvent(id, ownGateway, service);
        },
      ),
      { numRuns: runCount },
    );
    expect(Math.min(outcomes.applied, outcomes.refused)).toBeGreaterThan(runCount / 10);
  });

  test('inserts with the state, issues and warnings of the own store', async () => {
    await fc.assert(
      fc.asyncProperty(
        oneOf<object>(oneHour, oneDay, zonedHour, {}),
        anySparseBody,
        anyOptions,
        async (times, event, { attendeeChanges: _none, ...given }) => {
          fc.pre(!needsServiceKnowledge(event, given));
          const id = nextId();
          const insert = (gateway: EventGateway) => gateway.insert({ ...event, ...times, id }, given);
          expect(outcomeOf(await insert(front))).toEqual(outcomeOf(await insert(ownGateway)));
          await expectSameEvent(id, ownGateway, service);
        },
      ),
      { numRuns: runCount / 2 },
    );
  });
});
