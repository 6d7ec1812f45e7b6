import { addOn, bodiesByKind, link, writers } from '../../event/any-body.ts';
import {
  alice,
  bob,
  carol,
  day,
  eve,
  hour,
  popup,
  room,
  useEvents,
  zoned,
  type EventGateway,
} from '../../event/event.harness.ts';
import { fc } from '../../property.ts';
import { expectSameEvent, outcomeOf, useFront } from './upstream.harness.ts';

const runs = Number(process.env.TEST_RUNS ?? 60);
/** Excludes a guest's view of a cancelled event: services show only its id. */
const writableKinds = writers.filter(({ kind, as }) => kind !== 'cancelled' || as === alice);

const from = fc.constantFrom;
const guest = fc.record(
  {
    email: from(alice, bob, 'BOB@example.com', carol, eve, room, 'nobody'),
    displayName: from('A', null),
    optional: fc.boolean(),
    comment: from('', 'C', null),
    responseStatus: from('accepted', 'needsAction', null),
    additionalGuests: from(0, 2),
    resource: fc.boolean(),
    self: fc.boolean(),
  },
  { requiredKeys: ['email'] },
);
const body = fc.record(
  {
    summary: from('', 'S', null),
    description: from('D', null),
    location: from('There', null),
    colorId: from('1', '12', null),
    transparency: from('opaque', 'transparent', null),
    visibility: from('private', null),
    start: from<object | null>(
      hour.start,
      zoned.start,
      day.start,
      { dateTime: '2027-01-01T10:00:00Z' },
      { timeZone: 'Mars/Olympus' },
      null,
    ),
    end: from<object>(hour.end, zoned.end, day.end, { dateTime: '2026-12-01T10:30:00+01:00' }),
    recurrence: from(['RRULE:FREQ=DAILY'], ['RRULE:FREQ=NEVER'], [], null),
    status: from('confirmed', 'tentative', 'cancelled', null),
    sequence: from(0, 7, null),
    guestsCanModify: from(true, false, null),
    guestsCanInviteOthers: from(true, false),
    guestsCanSeeOtherGuests: from(true, false),
    anyoneCanAddSelf: from(true, null),
    endTimeUnspecified: from(true, null),
    iCalUID: from('other'),
    privateCopy: from(true, false),
    locked: from(true),
    attendees: fc.oneof(fc.constant(null), fc.array(guest, { maxLength: 4 })),
    attendeesOmitted: fc.boolean(),
    attachments: from([{ fileUrl: link }], [{ fileUrl: link, title: 'T' }], [], null),
    source: from({ url: link }, { title: 'T' }, null),
    reminders: from(
      { useDefault: true, overrides: null },
      { useDefault: false, overrides: [{ method: 'sms', minutes: 5 }, popup(0)] },
      { overrides: [popup(1)] },
      null,
    ),
    extendedProperties: from(
      { private: { a: null, c: 'x' } },
      { shared: { b: 'y' } },
      { private: { a: '' }, shared: { b: null } },
      null,
    ),
    gadget: from({ height: 5, preferences: { a: '1' } }, { height: 0 }, null),
    conferenceData: from<object | null>(addOn, { createRequest: { requestId: '' } }, { notes: 'N' }, null),
    htmlLink: from('x'),
    created: from('2020-01-01T00:00:00Z'),
    kind: from('calendar#event'),
  },
  { requiredKeys: [] },
);
/** A random subset of a body's fields. */
const sparseBody = fc
  .tuple(body, fc.infiniteStream(fc.nat(5)))
  .map(([all, dice]) => Object.fromEntries(Object.entries(all).filter(() => dice.next().value === 0)));
const changes = fc.record(
  {
    add: fc.array(guest, { maxLength: 3 }),
    remove: fc.array(from(bob, eve, alice, carol), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const options = fc.record(
  {
    attendeeChanges: fc.option(changes, { freq: 5, nil: undefined }),
    validateOnly: from(undefined, undefined, undefined, true),
    conferenceDataVersion: from(undefined, 0, 1),
    supportsAttachments: from(undefined, true),
    maxAttendees: from(undefined, undefined, 1),
    sendUpdates: from(undefined, 'all', 'none'),
  },
  { requiredKeys: [] },
);

/** Dry runs with guests or a conference: only the service knows their response statuses and signatures. */
const needsServiceKnowledge = (
  { attendees, conferenceData }: Readonly<Record<string, unknown>>,
  { validateOnly, attendeeChanges }: Readonly<Record<string, unknown>>,
): boolean => validateOnly === true && Boolean(attendees ?? attendeeChanges ?? conferenceData);

describe('any write through the calendar service', () => {
  const own = useEvents();
  const { service, front } = useFront();
  const problemPath = (problem: string): string => problem.replace(/^\S+ /, '');
  let count = 0;
  const nextId = (): string => `random${(count += 1)}`;

  test('patches with the state, issues and warnings of the own store', async () => {
    const outcomes = { applied: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(from(...writableKinds), sparseBody, options, async ({ kind, as }, event, given) => {
        fc.pre(!needsServiceKnowledge(event, given));
        const id = nextId();
        for (const gateway of [own, service])
          await gateway.makeEvent(
            { ...bodiesByKind[kind], id },
            { supportsAttachments: true, conferenceDataVersion: 1 },
          );
        front.takeMethods();
        const ownOutcome = await own.patch(id, event, { ...given, as });
        const frontOutcome = await front.patch(id, event, { ...given, as });
        outcomes[ownOutcome.errors ? 'refused' : 'applied'] += 1;
        // Problems of the body alone are reported without a read, so problems that depend on the event are
        // missing.
        if (frontOutcome.errors && front.takeMethods() === '')
          expect(ownOutcome.problems.map(problemPath)).toEqual(
            expect.arrayContaining(frontOutcome.problems.map(problemPath)),
          );
        else expect(outcomeOf(frontOutcome)).toEqual(outcomeOf(ownOutcome));
        await expectSameEvent(id, own, service);
      }),
      { numRuns: runs },
    );
    expect(Math.min(outcomes.applied, outcomes.refused)).toBeGreaterThan(runs / 10);
  });

  test('inserts with the state, issues and warnings of the own store', async () => {
    await fc.assert(
      fc.asyncProperty(
        from<object>(hour, day, zoned, {}),
        sparseBody,
        options,
        async (times, event, { attendeeChanges: _none, ...given }) => {
          fc.pre(!needsServiceKnowledge(event, given));
          const id = nextId();
          const insert = (gateway: EventGateway) => gateway.insert({ ...event, ...times, id }, given);
          expect(outcomeOf(await insert(front))).toEqual(outcomeOf(await insert(own)));
          await expectSameEvent(id, own, service);
        },
      ),
      { numRuns: runs / 2 },
    );
  });
});
