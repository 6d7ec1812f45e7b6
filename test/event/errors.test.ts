import {
  alice,
  bob,
  carol,
  eve,
  oneHour,
  halfAnHourLater,
  popupOverride,
  textOfLength,
  zonedHour,
  type Controls,
  useEventGateway,
  rita,
} from './event.harness.ts';
import { withGuests } from './list.harness.ts';

const dryRun: Controls = { validateOnly: true };
const sixReminders = { useDefault: false, overrides: [0, 1, 2, 3, 4, 5].map(popupOverride) };
const privateProperty = (k: string) => ({ extendedProperties: { private: { k } } });
/** Violations of eight rules, each with path and reason. */
const violations: Readonly<Record<string, readonly [body: object, problem: string]>> = {
  colour: [{ colorId: '12' }, 'colorId invalid'],
  length: [{ description: textOfLength(8193) }, 'description tooLong'],
  range: [{ start: oneHour.end, end: oneHour.start }, 'end timeRangeEmpty'],
  guest: [{ attendees: [{ email: carol }, { email: carol.toUpperCase() }] }, 'attendees.1.email invalid'],
  gadget: [{ gadget: { height: 0 } }, 'gadget.height invalid'],
  source: [{ source: { url: 'ftp://a.example' } }, 'source.url invalid'],
  reminders: [{ reminders: sixReminders }, 'reminders.overrides eventRemindersCountExceedsLimit'],
  property: [privateProperty(textOfLength(1025)), 'extendedProperties.private.k tooLong'],
};
const allViolations = Object.assign({}, ...Object.values(violations).map(([body]) => body)) as object;
const allProblems = Object.values(violations).map(([, problem]) => `event.${problem}`);

/** Issues of an input: they are reported together, with paths, reasons and remedies. */
describe('problems of an input', () => {
  const gateway = useEventGateway();
  const sortProblems = (problems: readonly string[], code = 'BAD_USER_INPUT') =>
    problems.map((problem) => `${code} ${problem}`).sort();

  test('are reported at once, including arguments; the first issue has the error’s reason and message', async () => {
    const { id } = await gateway.makeEvent();
    const expected = sortProblems([...allProblems, 'maxAttendees invalid', 'conferenceDataVersion invalid']);
    const invalidControls = { maxAttendees: 0, conferenceDataVersion: 2, supportsAttachments: true };
    for (const { problems, errors, status } of [
      await gateway.patch(id, allViolations, invalidControls),
      await gateway.insert(allViolations, invalidControls),
    ]) {
      expect([problems.toSorted(), errors?.length, status]).toEqual([expected, 1, 200]);
      const { reason, issues } = errors?.[0]?.extensions ?? {};
      expect(reason).toBe(issues?.[0]?.reason);
      expect(errors?.[0]?.message).toBe(issues?.[0]?.message);
      expect(issues?.map(({ path }) => path)).toContainEqual(['event', 'attendees', 1, 'email']);
      const descriptionIssue = { path: ['event', 'description'], params: { max: 8192, actual: 8193 } };
      expect(issues).toContainEqual(expect.objectContaining(descriptionIssue));
    }
  });

  const nullTime = { dateTime: null, timeZone: null };
  const [firstDay, secondDay] = [{ date: '2026-12-01' }, { date: '2026-12-02' }];
  const allDay = { ...firstDay, ...nullTime };
  const withoutOffset = { ...nullTime, dateTime: '2026-12-01T10:00:00' };
  const attendees = [eve, bob, 'Bob@example.com'].map((email) => ({ email }));
  const createSeriesBody = (line: string) => ({ ...zonedHour, recurrence: ['RRULE:FREQ=DAILY', line] });
  test.each<[string, object, RegExp]>([
    [
      'an end with date and dateTime',
      { end: secondDay },
      /^The end has both date and dateTime, .* null for the other field in start and in end/,
    ],
    ['both with date and dateTime', { start: firstDay, end: secondDay }, /^The start and the end have both/],
    ['a start with date and dateTime', { start: firstDay }, /^The start has both/],
    [
      'different kinds of start and end',
      { start: { date: null, ...oneHour.start }, end: { ...secondDay, ...nullTime } },
      /^The start and the end must be of one kind, .* switching/,
    ],
    [
      'an end before the start',
      { start: oneHour.end, end: oneHour.start },
      /^The end must be after the start\.$/,
    ],
    ['a day that ends too early', { start: allDay, end: allDay }, /so a one-day event ends the next day\.$/],
    ['no offset', { start: withoutOffset }, /timeZone, for example "Europe\/Berlin", the calendar's own\.$/],
    ['a guest twice', { attendees }, /^This guest is listed at index 1 already/],
    [
      'a DTSTART',
      createSeriesBody('DTSTART:20261201T090000Z'),
      /^DTSTART .* own start is used; allowed are .*RRULE/,
    ],
    ['a DTEND', createSeriesBody('DTEND:20261201T090000Z'), /own end is used/],
    [
      'an EXDATE of periods',
      createSeriesBody('EXDATE;VALUE=PERIOD:20261201T090000Z/PT1H'),
      /DATE or DATE-TIME\.$/,
    ],
    [
      'an RDATE of another type',
      createSeriesBody('RDATE;VALUE=TIME:090000'),
      /must be DATE, DATE-TIME or PERIOD\.$/,
    ],
  ])('are explained with a remedy: %s', async (_name, body, message) => {
    const { id } = await gateway.makeEvent();
    const { errors } = await gateway.patch(id, body);
    expect(errors?.[0]?.extensions.issues.map((issue) => issue.message)).toContainEqual(
      expect.stringMatching(message),
    );
  });

  test.each<[string, object, string]>([
    ['a string for a number', { sequence: 'three' }, 'sequence invalid'],
    ['an unknown field', { sumary: 'x' }, 'sumary invalid'],
    ['a number for a choice', { transparency: 5 }, 'transparency invalid'],
  ])('are reported together with those of the schema: %s', async (_name, coercionError, problem) => {
    const { id } = await gateway.makeEvent();
    const expected = sortProblems([...allProblems, `event.${problem}`]);
    const body = { ...allViolations, ...coercionError };
    const options = { supportsAttachments: true };
    for (const { problems } of [await gateway.insert(body, options), await gateway.patch(id, body, options)])
      expect(problems.toSorted()).toEqual(expected);
  });

  test('are reported together: schema, stored event, permissions and other arguments', async () => {
    const event = await gateway.makeEvent({ ...withGuests(bob) });
    const earlyEnd = { end: { dateTime: '2020-01-01T00:00:00Z' } };
    const iCalUID = 'other@x.example';
    const invalidBody = { summary: 5, iCalUID, start: { dateTime: 7 }, ...earlyEnd };
    const outcome = await gateway.patch(event.id, invalidBody, { maxAttendees: 0 });
    const expected = [
      'event.summary invalid',
      'event.start.dateTime invalid',
      'event.iCalUID immutable',
      'maxAttendees invalid',
    ];
    expect(outcome.problems.toSorted()).toEqual(sortProblems(expected));
    await gateway.expectPatchRefused(event.id, { summary: 5, ...earlyEnd }, [
      'summary invalid',
      'end timeRangeEmpty',
    ]);
    const unmetConditionProblems = sortProblems(
      ['ifMatch conditionNotMet', 'event.summary invalid'],
      'PRECONDITION_FAILED',
    );
    const outdatedOutcome = await gateway.patch(event.id, { summary: 5 }, { ifMatch: '"old"' });
    expect(outdatedOutcome.problems.toSorted()).toEqual(unmetConditionProblems);
    expect(outdatedOutcome.errors?.[0]?.extensions).toMatchObject({ etag: event.etag });
    const wrongFields = { sequence: 'x', location: 'y', colorId: '12' };
    const { errors, problems } = await gateway.patch(event.id, wrongFields, { as: bob });
    const refusals = ['sequence invalid', 'location forbiddenForNonOrganizer', 'colorId invalid'];
    const paths = refusals.map((refusal) => `event.${refusal}`);
    expect(problems.toSorted()).toEqual(sortProblems(paths, 'FORBIDDEN'));
    expect(errors).toMatchObject([{ extensions: { reason: 'forbiddenForNonOrganizer' } }]);
    const stranger = { as: eve, calendarId: alice };
    await gateway.expectPatchRefused(event.id, { sequence: 'x', iCalUID }, ['sequence invalid'], stranger);
  });

  test('do not include consequences of a value of the wrong type', async () => {
    const ids = { id: 'instance', iCalUID: 'i@x.example', recurringEventId: 5 };
    const body = { ...ids, originalStartTime: oneHour.start, colorId: '12' };
    await gateway.expectInsertRefused(body, ['recurringEventId invalid', 'colorId invalid']);
  });

  test('are in one error with refusals, which determine its code and reason', async () => {
    const event = await gateway.makeEvent({ ...withGuests(bob) });
    const sharedFields = { summary: 'x', location: 'y', guestsCanModify: true, source: { title: 'z' } };
    const body = { ...sharedFields, colorId: '12', reminders: sixReminders, iCalUID: 'other@x.example' };
    const { errors, problems } = await gateway.patch(event.id, body, { as: bob, maxAttendees: 0 });
    const reason = expect.stringMatching(/^forbidden/);
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', reason } }]);
    const expected = [
      ...['summary', 'location', 'guestsCanModify'].map((field) => `event.${field} forbiddenForNonOrganizer`),
      'event.source forbidden',
      'event.colorId invalid',
      'event.reminders.overrides eventRemindersCountExceedsLimit',
      'event.iCalUID immutable',
      'maxAttendees invalid',
    ];
    expect(problems.map((problem) => problem.replace('source.title', 'source')).toSorted()).toEqual(
      sortProblems(expected, 'FORBIDDEN'),
    );
    expect(await gateway.readOn(alice, event.id)).toEqual(event);
  });

  test('are the same with validateOnly, which stores nothing', async () => {
    const before = await gateway.makeEvent({ ...withGuests(bob), summary: 'Plan' });
    const attempts: [object, Controls][] = [
      [allViolations, {}],
      [{ id: 'another' }, {}],
      [{ summary: 'Bob’s' }, { as: bob }],
      [{ summary: 'New' }, { ifMatch: '"old"' }],
      [{ kind: 'other', attachments: [{ fileUrl: 'https://a.example' }] }, {}],
      [{ conferenceData: { notes: 'x' } }, {}],
      [{ reminders: { overrides: [{ method: 'sms', minutes: 1 }] } }, { as: carol, calendarId: alice }],
      [{ summary: 'New' }, { as: rita, calendarId: alice }],
    ];
    for (const [body, options] of attempts) {
      const [dryOutcome, outcome] = [
        await gateway.patch(before.id, body, { ...options, ...dryRun }),
        await gateway.patch(before.id, body, options),
      ];
      expect([...dryOutcome.problems, ...dryOutcome.warningTexts].length).toBeGreaterThan(0);
      expect([dryOutcome.problems, dryOutcome.warningTexts]).toEqual([
        outcome.problems,
        outcome.warningTexts,
      ]);
    }
    const guest = { email: carol, responseStatus: 'needsAction' };
    const changedFields = { ...halfAnHourLater, summary: 'New', attendees: [{ email: carol }] };
    const dryRunOutcome = await gateway.patch(before.id, changedFields, { ...dryRun, sendUpdates: 'all' });
    expect(dryRunOutcome).toMatchObject({
      notifiedCount: 0,
      event: { ...changedFields, sequence: 1, attendees: [guest] },
    });
    expect(dryRunOutcome.event.etag).not.toBe(before.etag);
    expect(await gateway.changeEvent(before.id, { summary: 'Plan' }, dryRun)).toEqual(before);
    expect((await gateway.changeEvent(before.id, { status: 'cancelled' }, dryRun)).status).toBe('cancelled');
    expect(await gateway.readOn(alice, before.id)).toEqual(before);
    await gateway.expectNotFound(carol, before.id);
  });

  test('with validateOnly an insert returns the event and leaves its id free; false and null store it', async () => {
    const body = { id: 'trial', summary: 'Trial', ...withGuests(bob) };
    const expectedEvent = { ...body, organizer: { email: alice }, status: 'confirmed' };
    expect(await gateway.makeEvent(body, { ...dryRun, sendUpdates: 'all' })).toMatchObject(expectedEvent);
    for (const owner of [alice, bob]) await gateway.expectNotFound(owner, 'trial');
    await gateway.makeEvent(body, { validateOnly: false });
    const storedEvent = await gateway.changeEvent('trial', { summary: 'Stored' }, { validateOnly: null });
    expect(storedEvent.summary).toBe('Stored');
    expect(await gateway.readOn(bob, 'trial')).toMatchObject({ summary: 'Stored' });
  });
});

describe('warnings of unapplied changes', () => {
  const gateway = useEventGateway();

  test('and numbers of notified guests are listed by response key, beside errors of other root fields', async () => {
    const first = await gateway.makeEvent({ ...withGuests(bob, carol) });
    const second = await gateway.makeEvent({ ...withGuests(bob) });
    const third = await gateway.makeEvent();
    const response = await gateway.ask(
      `mutation ($first: String!, $second: String!, $third: String!) {
        one: patchEvent(calendarId: "primary", eventId: $first, sendUpdates: all, event: { summary: "a", etag: "old" }) { id }
        patchEvent(calendarId: "primary", eventId: $second, sendNotifications: true, event: { summary: "b", kind: "x" }) { id }
        wrong: patchEvent(calendarId: "primary", eventId: $first, sendUpdates: all, event: { colorId: "99", etag: "old" }) { id }
        missing: patchEvent(calendarId: "primary", eventId: "nowhere", event: {}) { id }
        alone: patchEvent(calendarId: "primary", eventId: $third, sendUpdates: all, event: { summary: "c" }) { id }
      }`,
      { first: first.id, second: second.id, third: third.id },
    );
    const [one, patchEvent, alone] = [first, second, third].map(({ id }) => ({ id }));
    expect(response.data).toEqual({ one, patchEvent, wrong: null, missing: null, alone });
    const codes = response.errors?.map(({ path = [], extensions: { code } }) => `${path.join('.')} ${code}`);
    expect(codes).toEqual(['wrong BAD_USER_INPUT', 'missing NOT_FOUND']);
    expect(response.guestsNotified).toEqual({ one: 2, patchEvent: 1 });
    const warnings = (response.warnings ?? []).filter(({ field }) => field !== 'wrong');
    expect(warnings).toEqual([
      { field: 'one', path: ['event', 'etag'], reason: 'readOnly', message: expect.any(String) },
      { field: 'patchEvent', path: ['event', 'kind'], reason: 'readOnly', message: expect.any(String) },
    ]);
    const readOutcome = await gateway.read(first.id);
    expect([readOutcome.warnings, readOutcome.guestsNotified]).toEqual([undefined, undefined]);
  });

  describe('ifMatch', () => {
    const conditionNotMet = ['PRECONDITION_FAILED ifMatch conditionNotMet'];
    test('accepts the current etag and *; an etag in the body is no condition', async () => {
      let { id, etag } = await gateway.makeEvent();
      for (const condition of ['etag', '*', null, 'etag']) {
        const ifMatch = condition === 'etag' ? etag : condition;
        ({ id, etag } = await gateway.changeEvent(id, { summary: `after ${etag}` }, { ifMatch }));
      }
      expect((await gateway.read(id)).event.etag).toBe(etag);
      await gateway.expectPatchRefused(id, { summary: 'a', etag: '"old"' }, []);
      await gateway.expectPatchRefused('nothere', {}, ['NOT_FOUND eventId notFound'], { ifMatch: '*' });
    });

    test.each<[string, (older: string, present: string) => string, RegExp]>([
      ['an older etag', (older) => older, /again/i],
      ['an unknown etag', () => '"1"', /again/i],
      ['an empty string', () => '', /./],
      [
        'the etag without quotes',
        (_older, present) => present.slice(1, -1),
        /^The quotes belong to the etag/,
      ],
    ])(
      '%s fails: nothing is stored, and the error has a remedy and the current etag',
      async (_name, etagOf, remedy) => {
        const { id, etag: olderEtag } = await gateway.makeEvent();
        const before = await gateway.changeEvent(id, { summary: 'Newer' });
        const ifMatch = etagOf(olderEtag, before.etag);
        const { status, errors } = await gateway.expectPatchRefused(
          id,
          { summary: 'Mine' },
          conditionNotMet,
          { ifMatch },
        );
        expect([status, errors?.[0]?.extensions.etag]).toEqual([200, before.etag]);
        expect(errors?.[0]?.message).toMatch(remedy);
        expect((await gateway.read(id)).event).toEqual(before);
      },
    );

    test("is compared with the etag of the caller's own copy", async () => {
      const { id, etag } = await gateway.makeEvent({ ...zonedHour, ...withGuests(bob, carol) });
      const bobsEtag = (await gateway.readOn(bob, id)).etag;
      await gateway.changeEvent(id, { colorId: '3' }, { as: carol });
      const changedCopy = await gateway.changeEvent(id, { colorId: '1' }, { as: bob, ifMatch: bobsEtag });
      const asBob = { as: bob, ifMatch: bobsEtag };
      const outcome = await gateway.expectPatchRefused(id, { colorId: '2' }, conditionNotMet, asBob);
      expect(outcome.errors?.[0]?.extensions.etag).toBe(changedCopy.etag);
      await gateway.changeEvent(id, { colorId: '4' }, { ifMatch: etag });
    });

    test('of a caller who may not write reveals no etag', async () => {
      const { id } = await gateway.makeEvent();
      const options = { as: rita, calendarId: alice, ifMatch: '"old"' };
      const { errors } = await gateway.patch(id, { summary: 'x' }, options);
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
      expect(errors?.[0]?.extensions).not.toHaveProperty('etag');
    });
  });
});
