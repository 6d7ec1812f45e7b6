import {
  alice,
  bob,
  carol,
  day,
  eve,
  hour,
  popup,
  room,
  startEvents,
  zoned,
  type EventGateway,
} from '../../event/event.harness.ts';
import { fc } from '../../property.ts';
import { plain, saidOf, startFront, startService, type Front } from './writes.harness.ts';

const runs = Number(process.env.TEST_RUNS ?? 60);
const link = 'https://files.example.org/a';
const addOn: object = {
  conferenceSolution: { key: { type: 'addOn' } },
  entryPoints: [{ entryPointType: 'video', uri: 'https://call.example' }],
};
const guests = [{ email: alice }, { email: bob }, { email: eve, optional: true }];
const kinds: Readonly<Record<string, object>> = {
  plain: { ...hour, summary: 'Plain', location: 'There', sequence: 3 },
  allday: day,
  series: { ...zoned, recurrence: ['RRULE:FREQ=DAILY'] },
  guests: { ...hour, attendees: guests, colorId: '2' },
  hidden: { ...hour, attendees: guests, guestsCanSeeOtherGuests: false },
  open: {
    ...zoned,
    attendees: guests,
    guestsCanModify: true,
    extendedProperties: { private: { a: '1' }, shared: { b: '2' } },
  },
  alone: { ...hour, attendees: guests, guestsCanInviteOthers: false },
  files: { ...hour, attachments: [{ fileUrl: link }], source: { url: link } },
  cancelled: { ...hour, status: 'cancelled', attendees: guests },
  private: { ...hour, privateCopy: true, reminders: { useDefault: false, overrides: [popup(5)] } },
};
const writers = [
  ...Object.keys(kinds).map((kind) => ({ kind, as: alice })),
  ...['guests', 'hidden', 'open', 'alone'].map((kind) => ({ kind, as: bob })),
];

const guest = fc.record(
  {
    email: fc.constantFrom(alice, bob, 'BOB@example.com', carol, eve, room, 'nobody'),
    displayName: fc.constantFrom('A', null),
    optional: fc.boolean(),
    comment: fc.constantFrom('', 'C', null),
    responseStatus: fc.constantFrom('accepted', 'needsAction', null),
    additionalGuests: fc.constantFrom(0, 2),
    resource: fc.boolean(),
    self: fc.boolean(),
  },
  { requiredKeys: ['email'] },
);
const rare = <T>(...choices: T[]) => fc.constantFrom(...choices);
const body = fc.record(
  {
    summary: rare('', 'S', null),
    description: rare('D', null),
    location: rare('There', null),
    colorId: rare('1', '12', null),
    transparency: rare('opaque', 'transparent', null),
    visibility: rare('private', null),
    start: rare<object | null>(
      hour.start,
      zoned.start,
      day.start,
      { dateTime: '2027-01-01T10:00:00Z' },
      { timeZone: 'Mars/Olympus' },
      null,
    ),
    end: rare<object>(hour.end, zoned.end, day.end, { dateTime: '2026-12-01T10:30:00+01:00' }),
    recurrence: rare(['RRULE:FREQ=DAILY'], ['RRULE:FREQ=NEVER'], [], null),
    status: rare('confirmed', 'tentative', 'cancelled', null),
    sequence: rare(0, 7, null),
    guestsCanModify: rare(true, false, null),
    guestsCanInviteOthers: rare(true, false),
    guestsCanSeeOtherGuests: rare(true, false),
    anyoneCanAddSelf: rare(true, null),
    endTimeUnspecified: rare(true, null),
    iCalUID: rare('other'),
    privateCopy: rare(true, false),
    locked: rare(true),
    attendees: fc.oneof(fc.constant(null), fc.array(guest, { maxLength: 4 })),
    attendeesOmitted: fc.boolean(),
    attachments: rare([{ fileUrl: link }], [{ fileUrl: link, title: 'T' }], [], null),
    source: rare({ url: link }, { title: 'T' }, null),
    reminders: rare(
      { useDefault: true, overrides: null },
      { useDefault: false, overrides: [{ method: 'sms', minutes: 5 }, popup(0)] },
      { overrides: [popup(1)] },
      null,
    ),
    extendedProperties: rare(
      { private: { a: null, c: 'x' } },
      { shared: { b: 'y' } },
      { private: { a: '' }, shared: { b: null } },
      null,
    ),
    gadget: rare({ height: 5, preferences: { a: '1' } }, { height: 0 }, null),
    conferenceData: rare<object | null>(addOn, { createRequest: { requestId: '' } }, { notes: 'N' }, null),
    htmlLink: rare('x'),
    created: rare('2020-01-01T00:00:00Z'),
    kind: rare('calendar#event'),
  },
  { requiredKeys: [] },
);
/** A few fields of it. */
const fewOf = fc
  .tuple(body, fc.infiniteStream(fc.nat(5)))
  .map(([all, dice]) => Object.fromEntries(Object.entries(all).filter(() => dice.next().value === 0)));
const changes = fc.record(
  {
    add: fc.array(guest, { maxLength: 3 }),
    remove: fc.array(rare(bob, eve, alice, carol), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const options = fc.record(
  {
    attendeeChanges: fc.oneof(
      { weight: 5, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: changes },
    ),
    validateOnly: rare(undefined, undefined, undefined, true),
    conferenceDataVersion: rare(undefined, 0, 1),
    supportsAttachments: rare(undefined, true),
    maxAttendees: rare(undefined, undefined, 1),
    sendUpdates: rare(undefined, 'all', 'none'),
  },
  { requiredKeys: [] },
);

/** Who of the guests alone answers, and how a conference is signed, only the service knows. */
const isTrialOfTheirs = (
  { attendees, conferenceData }: Readonly<Record<string, unknown>>,
  { validateOnly, attendeeChanges }: Readonly<Record<string, unknown>>,
): boolean => validateOnly === true && Boolean(attendees ?? attendeeChanges ?? conferenceData);

describe('any write through the calendar service', () => {
  let own: EventGateway, service: EventGateway, front: Front;
  beforeAll(async () => {
    [own, service] = await Promise.all([startEvents(), startService()]);
    front = await startFront(service);
  });
  afterAll(() => Promise.all([own, service, front].map((gateway) => gateway.close())));
  const pathOf = (problem: string): string => problem.replace(/^\S+ /, '');
  let count = 0;
  const nextId = (): string => `random${(count += 1)}`;

  async function expectSameState(id: string): Promise<void> {
    for (const as of [alice, bob]) {
      const [here, there] = [await own.read(id, { as }), await service.read(id, { as })];
      expect([there.problems, there.event && plain(there.event)]).toEqual([
        here.problems,
        here.event && plain(here.event),
      ]);
    }
  }

  test('is a patch with the state, issues and warnings of one over the own store', async () => {
    const outcomes = { applied: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...writers), fewOf, options, async ({ kind, as }, event, given) => {
        fc.pre(!isTrialOfTheirs(event, given));
        const id = nextId();
        for (const gateway of [own, service])
          expect(
            (
              await gateway.insert(
                { ...kinds[kind], id },
                { conferenceDataVersion: 1, supportsAttachments: true },
              )
            ).problems,
          ).toEqual([]);
        const [mine, theirs] = [
          await own.patch(id, event, { ...given, as }),
          await front.patch(id, event, { ...given, as }),
        ];
        outcomes[mine.errors ? 'refused' : 'applied'] += 1;
        // What is wrong with the body alone is told at once, without what only the event knows.
        if (theirs.errors && front.asked().length === 0)
          expect(mine.problems.map(pathOf)).toEqual(expect.arrayContaining(theirs.problems.map(pathOf)));
        else expect(saidOf(theirs)).toEqual(saidOf(mine));
        front.asked();
        await expectSameState(id);
      }),
      { numRuns: runs },
    );
    expect(Math.min(outcomes.applied, outcomes.refused)).toBeGreaterThan(runs / 10);
  });

  test('is an insert with the state, issues and warnings of one over the own store', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<object>(hour, day, zoned, {}),
        fewOf,
        options,
        async (times, event, { attendeeChanges: _none, ...given }) => {
          fc.pre(!isTrialOfTheirs(event, given));
          const id = nextId();
          const insert = (gateway: EventGateway) => gateway.insert({ ...event, ...times, id }, given);
          expect(saidOf(await insert(front))).toEqual(saidOf(await insert(own)));
          await expectSameState(id);
        },
      ),
      { numRuns: runs / 2 },
    );
  });
});
