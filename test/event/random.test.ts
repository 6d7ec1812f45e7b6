import fc from 'fast-check';
import { checkConference } from '../../src/event/conference.ts';
import { compose } from '../../src/event/copies.ts';
import { checkEvent } from '../../src/event/event.checks.ts';
import type { EventRecord } from '../../src/event/event.record.ts';
import {
  alice,
  berlin,
  bob,
  calendars,
  day,
  hour,
  startEvents,
  type Controls,
  type EventGateway,
  type Outcome,
} from './event-http.harness.ts';
import { randomBody, randomControls, randomIfMatch } from './random-bodies.harness.ts';

const zoned = { start: { ...hour.start, timeZone: berlin }, end: { ...hour.end, timeZone: berlin } };
const conferenceData = {
  conferenceId: 'abcdefghij',
  conferenceSolution: { key: { type: 'hostedCall' }, name: 'Hosted call' },
  entryPoints: [
    { entryPointType: 'video', uri: 'https://call.example' },
    { entryPointType: 'phone', uri: 'tel:+1', regionCode: 'US' },
  ],
  createRequest: { requestId: 'r1', conferenceSolutionKey: { type: 'hostedCall' }, status: { statusCode: 'success' } },
};
const guests = [
  { email: alice },
  { email: bob, responseStatus: 'tentative' },
  { email: 'carol@elsewhere.example', optional: true },
];

/** Events of every kind; Bob is a guest of some. */
const events = [
  { id: 'plain', ...hour, summary: 'Plain' },
  { id: 'allday', ...day },
  { id: 'series', ...zoned, recurrence: ['RRULE:FREQ=DAILY'] },
  { id: 'instance', ...zoned, recurringEventId: 'series', originalStartTime: { dateTime: '2026-12-03T10:00:00+01:00' } },
  { id: 'guests', ...hour, attendees: guests, guestsCanSeeOtherGuests: false, sequence: 5 },
  {
    id: 'open',
    ...hour,
    attendees: guests,
    guestsCanModify: true,
    extendedProperties: { private: { a: '1' }, shared: { b: '2' } },
  },
  { id: 'call', ...hour, conferenceData, callLink: 'https://call.example' },
  {
    id: 'files',
    ...hour,
    attachments: [{ fileUrl: 'https://files.example.org/a', fileId: 'f1' }],
    source: { title: 'T', url: 'https://s.example' },
    gadget: { height: 5, preferences: { a: '1' } },
  },
  { id: 'cancelled', ...hour, status: 'cancelled' },
  {
    id: 'private',
    ...hour,
    privateCopy: true,
    visibility: 'private',
    reminders: { useDefault: false, overrides: [{ method: 'sms', minutes: 5 }] },
  },
];
const targets = [
  ...events.map(({ id }) => ({ kind: id, as: alice })),
  ...['guests', 'open', 'locked'].map((kind) => ({ kind, as: bob })),
];
const bobs = [{ id: 'locked', ...hour, locked: true, organizer: { email: 'boss@elsewhere.example' }, attendees: guests }];

const codes = ['BAD_USER_INPUT', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'];

describe('random bodies', () => {
  let gateway: EventGateway;
  const pristine = new Map<string, EventRecord>();
  let done: { applied: number; refused: number };

  beforeEach(async () => {
    gateway = await startEvents([], { seed: { calendars: calendars(events, bobs) } });
    for (const { kind, as } of targets) pristine.set(kind, (await gateway.stored(kind, as)) as EventRecord);
    done = { applied: 0, refused: 0 };
  });
  afterEach(() => gateway.close());

  /** Another event just like one of those above. */
  async function twinOf(kind: string, number: number): Promise<string> {
    const record = pristine.get(kind) as EventRecord;
    const id = `${kind}${number}`;
    const copies = Object.fromEntries(Object.entries(record.copies).map(([calendarId, copy]) => [calendarId, { ...copy, id }]));
    await gateway.stores.events.insertEvent({ ...record, key: id, copies });
    return id;
  }

  /** An answer that a client can work with: the event, or errors that tell where and why. */
  function expectAnswer({ status, event, errors, warnings = [] }: Outcome): void {
    expect(status).toBe(200);
    expect(event === null || event === undefined).toBe(errors !== undefined);
    for (const { message, extensions } of errors ?? []) {
      expect(codes).toContain(extensions.code);
      expect(message).not.toBe('');
      expect(extensions.issues.length).toBeGreaterThan(0);
      for (const { path, reason } of extensions.issues) expect([path.length > 0, /^[a-z]/i.test(reason)]).toEqual([true, true]);
    }
    for (const { path, reason } of warnings) expect([path[0], /^[a-z]/i.test(reason)]).toEqual(['event', true]);
  }

  /** What is stored keeps every rule, on each calendar. */
  function expectValid(record: EventRecord): void {
    for (const copy of Object.values(record.copies)) {
      const body = compose({ record, copy });
      expect(checkEvent(body, {}, berlin)).toEqual([]);
      expect(checkConference(body.conferenceData ?? {})).toEqual([]);
    }
  }

  async function expectSameBack(eventId: string, { event }: Outcome, options: Controls): Promise<void> {
    const stored = () => gateway.stored(eventId, options.as);
    const before = await stored();
    const { maxAttendees, alwaysIncludeEmail, as } = options;
    const again = await gateway.patch(eventId, event, {
      as,
      maxAttendees,
      alwaysIncludeEmail,
      supportsAttachments: true,
      conferenceDataVersion: 1,
    });
    expect({ problems: again.problems, notes: again.notes }).toEqual({ problems: [], notes: [] });
    expect(again.event).toEqual(event);
    expect(await stored()).toBe(before);
  }

  test('a patch gives a valid event or an error with paths; an error stores nothing; what comes back goes in again', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...targets),
        randomBody,
        randomControls,
        randomIfMatch,
        async ({ kind, as }, body, controls, ifMatch) => {
          const eventId = await twinOf(kind, (round += 1));
          const stored = () => gateway.stored(eventId, as);
          const before = await stored();
          const options = { as, ifMatch, ...controls };
          const outcome = await gateway.patch(eventId, body, options);
          expectAnswer(outcome);
          const after = (await stored()) as EventRecord;
          if (outcome.errors || controls.validateOnly) expect(after).toBe(before);
          else expectValid(after);
          done[outcome.errors ? 'refused' : 'applied'] += 1;
          if (outcome.errors || controls.validateOnly || outcome.event.status === 'cancelled') return;
          await expectSameBack(eventId, outcome, options);
        },
      ),
      { numRuns: 5000, seed: 20_261_201 },
    );
    // A generator that only ever makes one sort of body would prove little.
    expect(done.applied).toBeGreaterThan(1000);
    expect(done.refused).toBeGreaterThan(1000);
  }, 180_000);

  test('an insert gives a valid event or an error with paths; an error stores nothing; what comes back goes in again', async () => {
    const count = async (): Promise<number> =>
      (await gateway.stores.events.listEvents({ calendarId: alice, limit: 5000 }))?.entries.length ?? 0;
    let expected = await count();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(hour, day, zoned, {}), randomBody, randomControls, async (times, body, controls) => {
        const outcome = await gateway.insert({ ...body, ...times }, controls);
        expectAnswer(outcome);
        const isStored = !outcome.errors && !controls.validateOnly;
        expected += isStored ? 1 : 0;
        expect(await count()).toBe(expected);
        done[outcome.errors ? 'refused' : 'applied'] += 1;
        if (!isStored) return;
        expectValid((await gateway.stored(outcome.event.id)) as EventRecord);
        if (outcome.event.status !== 'cancelled') await expectSameBack(outcome.event.id, outcome, { ...controls, as: alice });
      }),
      { numRuns: 1000, seed: 20_261_201 },
    );
    expect(done.applied).toBeGreaterThan(200);
    expect(done.refused).toBeGreaterThan(200);
  }, 60_000);
});
