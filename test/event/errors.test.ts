import {
  alice,
  bob,
  carol,
  eve,
  hour,
  later,
  popup,
  rita,
  text,
  zoned,
  type Controls,
  useEvents,
} from './event.harness.ts';

const dry: Controls = { validateOnly: true };
const six = { useDefault: false, overrides: [0, 1, 2, 3, 4, 5].map(popup) };
/** Faults of eight rules, each with its path and reason. */
const faults: Readonly<Record<string, readonly [body: object, problem: string]>> = {
  colour: [{ colorId: '12' }, 'colorId invalid'],
  length: [{ description: text(8193) }, 'description tooLong'],
  range: [{ start: hour.end, end: hour.start }, 'end timeRangeEmpty'],
  guest: [{ attendees: [{ email: carol }, { email: carol.toUpperCase() }] }, 'attendees.1.email invalid'],
  gadget: [{ gadget: { height: 0 } }, 'gadget.height invalid'],
  source: [{ source: { url: 'ftp://a.example' } }, 'source.url invalid'],
  reminders: [{ reminders: six }, 'reminders.overrides eventRemindersCountExceedsLimit'],
  property: [{ extendedProperties: { private: { k: text(1025) } } }, 'extendedProperties.private.k tooLong'],
};
const allFaults = Object.assign({}, ...Object.values(faults).map(([body]) => body)) as object;
const allProblems = Object.values(faults).map(([, problem]) => `event.${problem}`);

describe('what is wrong with an input', () => {
  const gateway = useEvents();
  const sorted = (problems: readonly string[], code = 'BAD_USER_INPUT') =>
    problems.map((problem) => `${code} ${problem}`).sort();

  test('comes all at once, with the arguments; the first issue is the error’s own', async () => {
    const { id } = await gateway.make();
    const expected = sorted([...allProblems, 'maxAttendees invalid', 'conferenceDataVersion invalid']);
    const wrong = { maxAttendees: 0, conferenceDataVersion: 2, supportsAttachments: true };
    for (const { problems, errors, status } of [
      await gateway.patch(id, allFaults, wrong),
      await gateway.insert(allFaults, wrong),
    ]) {
      expect([problems.toSorted(), errors?.length, status]).toEqual([expected, 1, 200]);
      const { reason, issues } = errors?.[0]?.extensions ?? {};
      expect(reason).toBe(issues?.[0]?.reason);
      expect(errors?.[0]?.message).toBe(issues?.[0]?.message);
      expect(issues?.map(({ path }) => path)).toContainEqual(['event', 'attendees', 1, 'email']);
      const description = { path: ['event', 'description'], params: { max: 8192, actual: 8193 } };
      expect(issues).toContainEqual(expect.objectContaining(description));
    }
  });

  const noTime = { dateTime: null, timeZone: null };
  const [first, second] = [{ date: '2026-12-01' }, { date: '2026-12-02' }];
  const allDay = { ...first, ...noTime };
  const bare = { ...noTime, dateTime: '2026-12-01T10:00:00' };
  const attendees = [eve, bob, 'Bob@example.com'].map((email) => ({ email }));
  const withRule = (line: string) => ({ ...zoned, recurrence: ['RRULE:FREQ=DAILY', line] });
  test.each<[string, object, RegExp]>([
    [
      'an end of both kinds',
      { end: second },
      /^The end has both date and dateTime, .* null for the other field in start and in end/,
    ],
    ['both of both kinds', { start: first, end: second }, /^The start and the end have both/],
    ['a start of both kinds', { start: first }, /^The start has both/],
    [
      'two kinds',
      { start: { date: null, ...hour.start }, end: { ...second, ...noTime } },
      /^The start and the end must be of one kind, .* switching/,
    ],
    ['an end before the start', { start: hour.end, end: hour.start }, /^The end must be after the start\.$/],
    ['a day that ends too early', { start: allDay, end: allDay }, /so a one-day event ends the next day\.$/],
    ['no offset', { start: bare }, /set timeZone, for example "Europe\/Berlin", the calendar's own\.$/],
    ['a guest twice', { attendees }, /^This guest is listed at index 1 already/],
    ['a DTSTART', withRule('DTSTART:20261201T090000Z'), /^DTSTART .* own start is used; allowed are .*RRULE/],
    ['a DTEND', withRule('DTEND:20261201T090000Z'), /own end is used/],
    ['an EXDATE of periods', withRule('EXDATE;VALUE=PERIOD:20261201T090000Z/PT1H'), /DATE or DATE-TIME\.$/],
    ['an RDATE of another type', withRule('RDATE;VALUE=TIME:090000'), /must be DATE, DATE-TIME or PERIOD\.$/],
  ])('is told with its cause and its cure: %s', async (_name, body, message) => {
    const { id } = await gateway.make();
    const { errors } = await gateway.patch(id, body);
    expect(errors?.[0]?.extensions.issues.map((issue) => issue.message)).toContainEqual(
      expect.stringMatching(message),
    );
  });

  test.each<[string, object, string]>([
    ['a string for a number', { sequence: 'three' }, 'sequence invalid'],
    ['an unknown field', { sumary: 'x' }, 'sumary invalid'],
    ['a number for a choice', { transparency: 5 }, 'transparency invalid'],
  ])('tells of other faults beside those of the schema: %s', async (_name, coercionError, problem) => {
    const { id } = await gateway.make();
    const expected = sorted([...allProblems, `event.${problem}`]);
    const body = { ...allFaults, ...coercionError };
    const options = { supportsAttachments: true };
    for (const { problems } of [await gateway.insert(body, options), await gateway.patch(id, body, options)])
      expect(problems.toSorted()).toEqual(expected);
  });

  test('tells beside what does not fit the schema what the stored event, the rights of the caller and the other arguments say', async () => {
    const event = await gateway.make({ attendees: [{ email: bob }] });
    const early = { end: { dateTime: '2020-01-01T00:00:00Z' } };
    const iCalUID = 'other@x.example';
    const misfits = { summary: 5, iCalUID, start: { dateTime: 7 }, ...early };
    const own = await gateway.patch(event.id, misfits, { maxAttendees: 0 });
    const expected = [
      'event.summary invalid',
      'event.start.dateTime invalid',
      'event.iCalUID immutable',
      'maxAttendees invalid',
    ];
    expect(own.problems.toSorted()).toEqual(sorted(expected));
    await gateway.refusesPatch(event.id, { summary: 5, ...early }, ['summary invalid', 'end timeRangeEmpty']);
    const unmet = [
      'PRECONDITION_FAILED ifMatch conditionNotMet',
      'PRECONDITION_FAILED event.summary invalid',
    ];
    const outdated = await gateway.refusesPatch(event.id, { summary: 5 }, unmet, { ifMatch: '"old"' });
    expect(outdated.errors?.[0]?.extensions).toMatchObject({ etag: event.etag });
    const wrong = { sequence: 'x', location: 'y', colorId: '12' };
    const { errors, problems } = await gateway.patch(event.id, wrong, { as: bob });
    const refusals = [
      'event.sequence invalid',
      'event.location forbiddenForNonOrganizer',
      'event.colorId invalid',
    ];
    expect(problems.toSorted()).toEqual(sorted(refusals, 'FORBIDDEN'));
    expect(errors).toMatchObject([{ extensions: { reason: 'forbiddenForNonOrganizer' } }]);
    const stranger = { as: eve, calendarId: alice };
    await gateway.refusesPatch(event.id, { sequence: 'x', iCalUID }, ['sequence invalid'], stranger);
  });

  test('says nothing of what follows from a value that does not fit', async () => {
    const ids = { id: 'instance', iCalUID: 'i@x.example', recurringEventId: 5 };
    const body = { ...ids, originalStartTime: hour.start, colorId: '12' };
    await gateway.refusesInsert(body, ['recurringEventId invalid', 'colorId invalid']);
  });

  test('stands in one error with what is refused, under the code and the reason of the refusal', async () => {
    const event = await gateway.make({ attendees: [{ email: bob }] });
    const shared = { summary: 'x', location: 'y', guestsCanModify: true, source: { title: 'z' } };
    const body = { ...shared, colorId: '12', reminders: six, iCalUID: 'other@x.example' };
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
      sorted(expected, 'FORBIDDEN'),
    );
    expect(await gateway.on(alice, event.id)).toEqual(event);
  });

  test('does not change with validateOnly, which stores nothing', async () => {
    const before = await gateway.make({ attendees: [{ email: bob }], summary: 'Plan' });
    const tries: [object, Controls][] = [
      [allFaults, {}],
      [{ id: 'another' }, {}],
      [{ summary: 'Bob’s' }, { as: bob }],
      [{ summary: 'New' }, { ifMatch: '"old"' }],
      [{ kind: 'other', attachments: [{ fileUrl: 'https://a.example' }] }, {}],
      [{ conferenceData: { notes: 'x' } }, {}],
      [{ reminders: { overrides: [{ method: 'sms', minutes: 1 }] } }, { as: carol, calendarId: alice }],
      [{ summary: 'New' }, { as: rita, calendarId: alice }],
    ];
    for (const [body, options] of tries) {
      const [tried, real] = [
        await gateway.patch(before.id, body, { ...options, ...dry }),
        await gateway.patch(before.id, body, options),
      ];
      expect([...tried.problems, ...tried.notes].length).toBeGreaterThan(0);
      expect([tried.problems, tried.notes]).toEqual([real.problems, real.notes]);
    }
    const guest = { email: carol, responseStatus: 'needsAction' };
    const changed = { ...later, summary: 'New', attendees: [{ email: carol }] };
    const tried = await gateway.patch(before.id, changed, { ...dry, sendUpdates: 'all' });
    expect(tried).toMatchObject({ told: 0, event: { ...changed, sequence: 1, attendees: [guest] } });
    expect(tried.event.etag).not.toBe(before.etag);
    expect(await gateway.change(before.id, { summary: 'Plan' }, dry)).toEqual(before);
    expect((await gateway.change(before.id, { status: 'cancelled' }, dry)).status).toBe('cancelled');
    expect(await gateway.on(alice, before.id)).toEqual(before);
    await gateway.expectNotFound(carol, before.id);
  });

  test('validateOnly shows an insert as it would be, and leaves its id free; false and null store', async () => {
    const body = { id: 'trial', summary: 'Trial', attendees: [{ email: bob }] };
    const shown = { ...body, organizer: { email: alice }, status: 'confirmed' };
    expect(await gateway.make(body, { ...dry, sendUpdates: 'all' })).toMatchObject(shown);
    for (const owner of [alice, bob]) await gateway.expectNotFound(owner, 'trial');
    await gateway.make(body, { validateOnly: false });
    const stored = await gateway.change('trial', { summary: 'Stored' }, { validateOnly: null });
    expect(stored.summary).toBe('Stored');
    expect(await gateway.on(bob, 'trial')).toMatchObject({ summary: 'Stored' });
  });
});

describe('what was accepted and not applied', () => {
  const gateway = useEvents();

  test('and who was told stand under the response key of each root field, beside the errors of the others', async () => {
    const first = await gateway.make({ attendees: [{ email: bob }, { email: carol }] });
    const second = await gateway.make({ attendees: [{ email: bob }] });
    const third = await gateway.make();
    const answer = await gateway.ask(
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
    expect(answer.data).toEqual({ one, patchEvent, wrong: null, missing: null, alone });
    const codes = answer.errors?.map(({ path = [], extensions: { code } }) => `${path.join('.')} ${code}`);
    expect(codes).toEqual(['wrong BAD_USER_INPUT', 'missing NOT_FOUND']);
    expect(answer.guestsNotified).toEqual({ one: 2, patchEvent: 1 });
    const warnings = (answer.warnings ?? []).filter(({ field }) => field !== 'wrong');
    expect(warnings).toEqual([
      { field: 'one', path: ['event', 'etag'], reason: 'readOnly', message: expect.any(String) },
      { field: 'patchEvent', path: ['event', 'kind'], reason: 'readOnly', message: expect.any(String) },
    ]);
    const read = await gateway.read(first.id);
    expect([read.warnings, read.guestsNotified]).toEqual([undefined, undefined]);
  });

  describe('ifMatch', () => {
    const failed = ['PRECONDITION_FAILED ifMatch conditionNotMet'];
    test('the present etag and * are met, and a patch answers with the next one; an etag in the body is no condition', async () => {
      let { id, etag } = await gateway.make();
      for (const condition of ['etag', '*', null, 'etag']) {
        const ifMatch = condition === 'etag' ? etag : condition;
        ({ id, etag } = await gateway.change(id, { summary: `after ${etag}` }, { ifMatch }));
      }
      expect((await gateway.read(id)).event.etag).toBe(etag);
      await gateway.refusesPatch(id, { summary: 'a', etag: '"old"' }, []);
      await gateway.refusesPatch('nothere', {}, ['NOT_FOUND eventId notFound'], { ifMatch: '*' });
    });

    test.each<[string, (older: string, present: string) => string, RegExp]>([
      ['an older etag', (older) => older, /again/i],
      ['one made up', () => '"1"', /again/i],
      ['an empty string', () => '', /./],
      ['the one unquoted', (_older, present) => present.slice(1, -1), /^The quotes belong to the etag/],
    ])('%s is not met: nothing is stored; cure and present etag are told', async (_name, of, cure) => {
      const { id, etag: older } = await gateway.make();
      const before = await gateway.change(id, { summary: 'Newer' });
      const ifMatch = of(older, before.etag);
      const { status, errors } = await gateway.refusesPatch(id, { summary: 'Mine' }, failed, { ifMatch });
      expect([status, errors?.[0]?.extensions.etag]).toEqual([200, before.etag]);
      expect(errors?.[0]?.message).toMatch(cure);
      expect((await gateway.read(id)).event).toEqual(before);
    });

    test("is compared with the etag of the caller's own copy", async () => {
      const { id, etag } = await gateway.make({ ...zoned, attendees: [{ email: bob }, { email: carol }] });
      const bobs = (await gateway.on(bob, id)).etag;
      await gateway.change(id, { colorId: '3' }, { as: carol });
      const changed = await gateway.change(id, { colorId: '1' }, { as: bob, ifMatch: bobs });
      const late = await gateway.refusesPatch(id, { colorId: '2' }, failed, { as: bob, ifMatch: bobs });
      expect(late.errors?.[0]?.extensions.etag).toBe(changed.etag);
      await gateway.change(id, { colorId: '4' }, { ifMatch: etag });
    });

    test('of one who may not write tells no etag beside the refusal', async () => {
      const { id } = await gateway.make();
      const options = { as: rita, calendarId: alice, ifMatch: '"old"' };
      const { errors } = await gateway.patch(id, { summary: 'x' }, options);
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
      expect(errors?.[0]?.extensions).not.toHaveProperty('etag');
    });
  });
});
