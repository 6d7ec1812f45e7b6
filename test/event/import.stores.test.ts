import { stores } from '../stores.ts';
import { everyField } from '../selections.ts';
import type { GuestNotice } from '../../src/event/event.store.ts';
import {
  alice,
  bob,
  carol,
  type Controls,
  entryOf,
  eve,
  hour,
  later,
  popupReminder,
  problemAt,
  rita,
  type EventJson,
  type Outcome,
  wanda,
} from './event.harness.ts';
import { answerOf, daily, deleteDocument, guests, hourAt, listAll, nthId } from './list.harness.ts';

const importDocument = `mutation ($calendarId: String!, $event: EventInput!, $conferenceDataVersion: Int, $supportsAttachments: Boolean, $validateOnly: Boolean, $requestId: String) {
  result: importEvent(calendarId: $calendarId, event: $event, conferenceDataVersion: $conferenceDataVersion, supportsAttachments: $supportsAttachments, validateOnly: $validateOnly, requestId: $requestId) ${everyField('Event')} }`;

const uid = 'planning@elsewhere.example';
const own = { ...hour, iCalUID: uid, summary: 'Planning' };
const organizer = { email: eve, displayName: 'Eve' };
const foreign = { ...own, organizer, ...guests(alice, bob, carol) };

const answer = (responseStatus: string) => ({ attendees: [{ email: alice, responseStatus }] });
/** Times of a body without offsets. */
const zonedAs = ({ start, end }: typeof daily) => ({
  start: { ...start, dateTime: start.dateTime.slice(0, 19) },
  end: { ...end, dateTime: end.dateTime.slice(0, 19) },
});

describe.each(stores)('importEvent, over $name', ({ useGateway }) => {
  let notices: GuestNotice[];
  const gateway = useGateway(() => {
    notices = [];
    return { notifier: { notify: (notice) => void notices.push(notice) } };
  });
  const importBody = (event: object, { as = alice, ...options }: Controls = {}): Promise<Outcome> =>
    gateway.run(importDocument, { calendarId: alice, event, ...options }, as);
  const imported = async (event: object, options?: Controls): Promise<EventJson> => {
    const { problems, warningTexts, event: result } = await importBody(event, options);
    expect({ problems, warningTexts }).toEqual({ problems: [], warningTexts: [] });
    return result;
  };
  const refuses = async (event: object, problems: readonly string[], options?: Controls): Promise<void> =>
    expect((await importBody(event, options)).problems).toEqual(problems);

  test('needs the iCalUID, a writer and a valid body', async () => {
    await refuses({ ...own, iCalUID: null, colorId: '99' }, [
      problemAt('iCalUID', 'required'),
      problemAt('colorId', 'invalid'),
    ]);
    await refuses(own, ['FORBIDDEN calendarId forbidden'], { as: rita });
    await refuses(own, ['NOT_FOUND calendarId notFound'], { calendarId: 'nobody@example.com' });
    await refuses({ ...own, recurringEventId: 'series' }, [problemAt('originalStartTime', 'required')]);
    await refuses({ ...own, organizer: { email: 'nobody' } }, [problemAt('organizer.email', 'invalid')]);
    await refuses({ iCalUID: uid, summary: 'Planning' }, [
      problemAt('start', 'required'),
      problemAt('end', 'required'),
    ]);
  });

  test('takes organizer, created, sequence and status, and ignores ids and other read-only fields', async () => {
    const { event, warningTexts } = await importBody({
      ...own,
      id: 'chosen1',
      organizer,
      created: '2020-01-01T10:00:00+01:00',
      sequence: 4,
      status: 'tentative',
      creator: { email: bob },
      htmlLink: 'https://elsewhere.example/',
    });
    expect(event).toMatchObject({
      ...own,
      start: { dateTime: expect.any(String) },
      end: { dateTime: expect.any(String) },
      organizer: { ...organizer, self: false },
      creator: { email: alice, self: true },
      created: '2020-01-01T09:00:00.000Z',
      sequence: 4,
      status: 'tentative',
    });
    expect(event.id).not.toBe('chosen1');
    expect(warningTexts.toSorted()).toEqual([
      'event.creator readOnly',
      'event.htmlLink readOnly',
      'event.id ignored',
    ]);
    expect(await gateway.readOn(alice, event.id)).toEqual(event);
  });

  test('keeps an event of somebody else on one calendar, with the rights of a guest', async () => {
    const event = await imported(
      { ...foreign, attendees: [{ email: alice }, { email: bob, responseStatus: 'accepted' }] },
      { as: wanda },
    );
    expect(entryOf(event, bob).responseStatus).toBe('accepted');
    await gateway.expectNotFound(bob, event.id);
    expect((await listAll(gateway, bob)).ids).toEqual([]);
    await gateway.refusesPatch(event.id, { summary: 'Mine' }, [
      'FORBIDDEN event.summary forbiddenForNonOrganizer',
    ]);
    await gateway.changeEvent(event.id, { colorId: '3', reminders: popupReminder(5) });
    await gateway.changeEvent(event.id, answerOf(alice, 'accepted'));
    await gateway.changeEvent(event.id, { attendees: [...event.attendees, { email: carol }] });
    await gateway.expectNotFound(carol, event.id);
    expect((await gateway.readOn(alice, event.id)).attendees).toHaveLength(3);
    await gateway.run(deleteDocument, { calendarId: alice, eventId: event.id });
    expect((await gateway.readOn(alice, event.id)).status).toBe('cancelled');
    expect(await gateway.changeEvent(event.id, { status: 'confirmed' })).toMatchObject({
      summary: 'Planning',
    });
  });

  test('an own event is as one from insertEvent, and notifies nobody', async () => {
    const body = {
      ...own,
      attendees: [
        { email: bob, responseStatus: 'accepted' },
        { email: eve, responseStatus: 'accepted' },
      ],
    };
    const { event, warningTexts, notifiedCount } = await importBody({
      ...body,
      organizer: { email: alice.toUpperCase() },
    });
    expect(warningTexts).toEqual(['event.attendees.0.responseStatus ignored']);
    expect({ notifiedCount, notices }).toEqual({ notifiedCount: 0, notices: [] });
    expect(event.organizer).toMatchObject({ email: alice, self: true });
    expect(entryOf(event, bob).responseStatus).toBe('needsAction');
    expect(entryOf(event, eve).responseStatus).toBe('accepted');
    const id = event.id as string;
    expect((await gateway.readOn(bob, id)).summary).toBe('Planning');
    await gateway.changeEvent(id, answerOf(bob, 'tentative'), { as: bob });
    const again = await importBody({ ...body, summary: 'Other' });
    expect(again.warningTexts).toEqual(['event.attendees.0.responseStatus ignored']);
    expect(entryOf(again.event, bob).responseStatus).toBe('tentative');
    expect((await gateway.readOn(bob, id)).summary).toBe('Other');
  });

  test('a repeated import replaces the shared part, and changes nothing if it is equal', async () => {
    const first = {
      ...own,
      organizer,
      sequence: 1,
      location: 'Room 3',
      description: 'Text',
      colorId: '3',
      reminders: popupReminder(5),
      visibility: 'private',
      extendedProperties: { private: { a: '1' }, shared: { b: '2' } },
      ...guests(alice, bob),
      guestsCanModify: true,
    };
    const event = await imported(first);
    const { syncToken } = await listAll(gateway, alice);
    expect(await imported(first)).toEqual(event);
    expect((await listAll(gateway, alice, syncToken)).shown).toEqual([]);
    await gateway.changeEvent(event.id, { colorId: '4' });
    const { event: replaced, warningTexts } = await importBody({
      ...own,
      ...later,
      end: hour.end,
      colorId: '9',
    });
    expect(warningTexts).toEqual(['event.colorId ignored']);
    expect(replaced).toMatchObject({
      id: event.id,
      organizer,
      sequence: 1,
      location: null,
      description: null,
      colorId: '4',
      reminders: popupReminder(5),
      visibility: 'private',
      extendedProperties: { private: { a: '1' }, shared: null },
      attendees: null,
      guestsCanModify: false,
    });
    expect((await listAll(gateway, alice, syncToken)).shown).toEqual([`${event.id} confirmed`]);
  });

  test('refuses a lower sequence, another organizer, and the iCalUID of an event that was not imported', async () => {
    await imported({ ...foreign, sequence: 3 });
    await refuses({ ...foreign, sequence: 2 }, [problemAt('sequence', 'invalid')]);
    await refuses({ ...foreign, organizer: { email: bob } }, [problemAt('organizer.email', 'immutable')]);
    await gateway.makeEvent({ iCalUID: 'inserted@example.com', ...guests(bob) });
    const inserted = { ...own, iCalUID: 'inserted@example.com' };
    await refuses(inserted, ['CONFLICT event.iCalUID duplicate']);
    await refuses(inserted, ['CONFLICT event.iCalUID duplicate'], { as: bob, calendarId: bob });
  });

  test("keeps the owner's answer, except for a higher sequence with another answer", async () => {
    const event = await imported({ ...foreign, sequence: 1 });
    await gateway.changeEvent(event.id, answerOf(alice, 'accepted', 'Yes'));
    const answerAfter = async (body: object): Promise<unknown> => {
      const { event: result, warningTexts } = await importBody({ ...foreign, ...body });
      return [entryOf(result, alice).responseStatus, entryOf(result, alice).comment, warningTexts];
    };
    const ignored = ['event.attendees.0.responseStatus ignored'];
    expect(await answerAfter({ sequence: 1, ...answer('declined') })).toEqual(['accepted', 'Yes', ignored]);
    expect(await answerAfter({ sequence: 2 })).toEqual(['accepted', 'Yes', []]);
    expect(await answerAfter({ sequence: 3, ...answer('declined') })).toEqual(['declined', null, []]);
    const commented = { email: alice, comment: 'Late', additionalGuests: 2 };
    const { event: kept, warningTexts } = await importBody({ ...foreign, attendees: [commented] });
    expect(warningTexts).toEqual([
      'event.attendees.0.comment ignored',
      'event.attendees.0.additionalGuests ignored',
    ]);
    expect(entryOf(kept, alice)).toMatchObject({
      responseStatus: 'declined',
      comment: null,
      additionalGuests: 0,
    });
    await gateway.changeEvent(event.id, {
      attendeesOmitted: true,
      attendees: [{ ...commented, responseStatus: 'accepted' }],
    });
    await imported({ ...foreign, attendees: [{ ...commented, responseStatus: 'accepted' }] });
    await imported({ ...foreign, attendees: [{ ...commented, comment: null, additionalGuests: 0 }] });
  });

  test('imports a deleted own event again', async () => {
    const event = await imported(own);
    await gateway.run(deleteDocument, { calendarId: alice, eventId: event.id });
    expect(await imported({ ...own, summary: 'Again' })).toMatchObject({
      id: event.id,
      status: 'confirmed',
      summary: 'Again',
    });
  });

  test('imports instances of an imported series', async () => {
    const series = await imported({
      ...daily,
      iCalUID: uid,
      organizer,
      summary: 'Daily',
      ...guests(alice, bob),
    });
    const instance = {
      iCalUID: uid,
      organizer,
      originalStartTime: { dateTime: '2026-12-02T09:00:00Z' },
      start: { dateTime: '2026-12-02T15:00:00+01:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2026-12-02T16:00:00+01:00', timeZone: 'Europe/Berlin' },
      summary: 'Moved',
    };
    const changed = await imported(instance);
    expect(changed).toMatchObject({ id: nthId(series.id, 2), recurringEventId: series.id, summary: 'Moved' });
    expect(await imported(instance)).toEqual(changed);
    const cancelled = {
      iCalUID: uid,
      originalStartTime: { dateTime: '2026-12-03T09:00:00Z' },
      status: 'cancelled',
    };
    expect((await imported(cancelled)).status).toBe('cancelled');
    const wrong = { ...instance, originalStartTime: { dateTime: '2026-12-02T10:00:00Z' } };
    await refuses(wrong, [problemAt('originalStartTime', 'invalid')]);
    expect((await imported({ ...instance, summary: 'Moved again' })).id).toBe(changed.id);
    expect((await gateway.readOn(alice, nthId(series.id, 1))).summary).toBe('Daily');
  });

  test('a repeated import of a series changes nothing; the first one of an instance takes its own fields', async () => {
    const body = { ...daily, iCalUID: uid, organizer, ...guests(alice) };
    const series = await imported(body);
    expect(await imported(body)).toEqual(series);
    expect(await imported({ ...body, ...zonedAs(body) })).toEqual(series);
    const instance = {
      ...hourAt('2026-12-02', 15),
      iCalUID: uid,
      originalStartTime: { dateTime: '2026-12-02T10:00:00', timeZone: 'Europe/Berlin' },
      colorId: '3',
      attendees: [{ email: alice, responseStatus: 'declined' }],
    };
    const changed = await imported(instance);
    expect(changed).toMatchObject({ colorId: '3', attendees: [{ responseStatus: 'declined' }] });
    expect((await importBody({ ...instance, ...answer('accepted') })).warningTexts).toEqual([
      'event.attendees.0.responseStatus ignored',
    ]);
    expect((await importBody({ ...instance, colorId: '4' })).warningTexts).toEqual(['event.colorId ignored']);
  });

  test('instances that were imported first join their series', async () => {
    const instanceOn = (day: number, body: object) => ({
      iCalUID: uid,
      organizer,
      originalStartTime: { dateTime: `2026-12-0${day}T10:00:00`, timeZone: 'Europe/Berlin' },
      ...body,
    });
    const first = await imported(instanceOn(2, { ...hourAt('2026-12-02', 15), summary: 'Moved' }));
    expect(first.originalStartTime.dateTime).toBe('2026-12-02T10:00:00+01:00');
    const second = await imported(instanceOn(3, { status: 'cancelled' }));
    expect(second.recurringEventId).toBe(first.recurringEventId);
    await gateway.changeEvent(first.id, { colorId: '3' });
    const series = await imported({ ...daily, iCalUID: uid, organizer, summary: 'Daily' });
    expect(await gateway.readOn(alice, nthId(series.id, 2))).toMatchObject({
      summary: 'Moved',
      colorId: '3',
    });
    expect((await gateway.readOn(alice, nthId(series.id, 3))).status).toBe('cancelled');
    expect((await listAll(gateway, alice, 'singleEvents: true')).ids.toSorted()).toEqual(
      [1, 2, 4].map((day) => nthId(series.id, day)).toSorted(),
    );
  });

  test('own instances that were imported first bring their guests to the series, as those imported after it do', async () => {
    const seriesBody = { ...daily, summary: 'Daily', ...guests(bob) };
    const instances = [
      [2, guests(bob, carol, eve)],
      [3, guests(eve)],
      [4, {}],
    ] as const;
    const instanceOn = ([day, list]: (typeof instances)[number], iCalUID: string) => ({
      ...hourAt(`2026-12-0${day}`, 15),
      iCalUID,
      originalStartTime: { dateTime: `2026-12-0${day}T10:00:00`, timeZone: 'Europe/Berlin' },
      summary: `Moved ${day}`,
      ...list,
    });
    const importAll = async (bodies: readonly object[]): Promise<EventJson[]> => {
      const events: EventJson[] = [];
      for (const body of bodies) events.push(await imported(body));
      return events;
    };
    const [after] = await importAll([
      { ...seriesBody, iCalUID: uid },
      ...instances.map((instance) => instanceOn(instance, uid)),
    ]);
    const first = 'first@elsewhere.example';
    const uninviting = await imported({ ...instanceOn(instances[2], first), ...guests(bob) });
    const alone = await importAll(instances.map((instance) => instanceOn(instance, first)));
    expect(alone[2]?.id).toBe(uninviting.id);
    expect((await imported(instanceOn(instances[2], first))).id).toBe(uninviting.id);
    const aloneId = alone[0].id as string;
    await gateway.changeEvent(aloneId, { ...answerOf(bob, 'accepted'), colorId: '3' }, { as: bob });
    await gateway.run(deleteDocument, { calendarId: carol, eventId: aloneId }, carol);
    const tokens = new Map<string, string>();
    for (const person of [bob, carol]) tokens.set(person, (await listAll(gateway, person)).syncToken);
    const series = await imported({ ...seriesBody, iCalUID: first });
    const instancesOn = async (person: string, id: string): Promise<string[]> => {
      const shown: string[] = [];
      for (const day of [1, 2, 3, 4]) {
        const { event, problems } = await gateway.read(nthId(id, day), { as: person });
        shown.push(event ? `${event.status} ${event.summary}` : problems.join());
      }
      return shown;
    };
    for (const person of [alice, bob])
      expect(await instancesOn(person, series.id)).toEqual(await instancesOn(person, after.id));
    const instanceId = nthId(series.id, 2);
    const onBobs = await gateway.readOn(bob, instanceId);
    expect([onBobs.colorId, entryOf(onBobs, bob).responseStatus]).toEqual(['3', 'accepted']);
    expect((await gateway.readOn(carol, instanceId)).status).toBe('cancelled');
    expect(entryOf(onBobs, carol).responseStatus).toBe('declined');
    for (const { id } of alone) expect((await gateway.readOn(alice, id)).status).toBe('cancelled');
    for (const [person, token] of tokens)
      expect((await listAll(gateway, person, token)).shown).toContain(`${aloneId} cancelled`);
    await gateway.refusesPatch(aloneId, { status: 'confirmed' }, ['FORBIDDEN event.status forbidden'], {
      as: carol,
    });
    await gateway.changeEvent(instanceId, { status: 'confirmed' }, { as: carol });
    await gateway.changeEvent(instanceId, { summary: 'Changed' });
    for (const person of [bob, carol])
      expect((await gateway.readOn(person, instanceId)).summary).toBe('Changed');
  });

  test('an instance beside an imported single event is stored alone', async () => {
    await imported({ ...own, organizer });
    const instance = { ...own, organizer, originalStartTime: { dateTime: '2026-12-01T09:00:00Z' } };
    expect((await imported(instance)).recurringEventId).toEqual(expect.any(String));
  });

  test('an event that the owner removed stays removed, with a warning, until a higher sequence', async () => {
    const event = await imported({ ...own, organizer, sequence: 1 });
    await gateway.run(deleteDocument, { calendarId: alice, eventId: event.id });
    const again = await importBody({ ...own, organizer, sequence: 1 });
    expect([again.event.status, again.warningTexts]).toEqual(['cancelled', ['event.status ignored']]);
    const listed = { ...own, organizer, sequence: 2, ...answer('needsAction') };
    expect((await importBody(listed)).event.status).toBe('cancelled');
    expect((await imported({ ...own, organizer, sequence: 3 })).status).toBe('confirmed');
    const accepted = { ...own, organizer, sequence: 3, ...answer('accepted') };
    expect((await imported(accepted)).attendees).toMatchObject([{ responseStatus: 'accepted' }]);
    expect((await imported(accepted)).attendees).toMatchObject([{ responseStatus: 'accepted' }]);
    expect((await imported({ ...own, organizer, sequence: 3 })).attendees).toMatchObject([{ email: alice }]);
  });

  test('stores an instance alone if its series is not there', async () => {
    const instance = {
      ...hour,
      iCalUID: uid,
      organizer,
      originalStartTime: { dateTime: '2026-12-01T09:00:00Z' },
      ...guests(alice),
    };
    const event = await imported(instance);
    expect(event.id).toBe(`${event.recurringEventId}_20261201T090000Z`);
    expect(await imported(instance)).toEqual(event);
    const otherDay = { ...instance, originalStartTime: { dateTime: '2026-12-08T09:00:00Z' } };
    expect((await imported(otherDay)).id).not.toBe(event.id);
    await gateway.changeEvent(event.id, answerOf(alice, 'accepted'));
    await refuses({ ...otherDay, recurrence: daily.recurrence }, [problemAt('recurrence', 'invalid')]);
    const thirdDay = { ...instance, originalStartTime: { dateTime: '2026-12-15T09:00:00Z' } };
    expect((await imported({ ...thirdDay, recurrence: [] })).recurringEventId).toBe(event.recurringEventId);
  });

  test('sends nothing in another name; an answer goes to the organizer', async () => {
    const event = await imported({ ...foreign, guestsCanModify: true });
    const all = { sendUpdates: 'all' };
    const changes = [
      { summary: 'Changed' },
      { attendees: [{ email: alice }, { email: 'new@elsewhere.example' }] },
    ];
    for (const change of changes) {
      const { notifiedCount, warningTexts } = await gateway.patch(event.id, change, all);
      expect({ notifiedCount, warningTexts }).toEqual({
        notifiedCount: 0,
        warningTexts: ['sendUpdates incomplete'],
      });
    }
    expect(notices).toEqual([]);
    const { notifiedCount, warningTexts } = await gateway.patch(event.id, answerOf(alice, 'accepted'), all);
    expect({ notifiedCount, warningTexts }).toEqual({ notifiedCount: 1, warningTexts: [] });
    expect(notices).toMatchObject([{ method: 'REPLY', guests: [eve] }]);
  });

  test('does not move, divide or hand over an event of somebody else', async () => {
    const series = await imported({ ...daily, iCalUID: uid, organizer });
    const move = `mutation { result: moveEvent(calendarId: "${alice}", eventId: "${series.id}", destination: "${bob}") { id } }`;
    expect((await gateway.run(move, {}, wanda)).problems).toEqual([
      'FORBIDDEN calendarId forbidden',
      'FORBIDDEN eventId forbiddenForNonOrganizer',
    ]);
    const split = `mutation { result: deleteFollowingEvents(calendarId: "${alice}", eventId: "${nthId(series.id, 2)}") { id } }`;
    expect((await gateway.run(split, {})).problems).toEqual(['FORBIDDEN eventId forbiddenForNonOrganizer']);
    const { id } = await imported({
      ...own,
      iCalUID: 'alone@elsewhere.example',
      organizer,
      originalStartTime: hour.start,
    });
    const followers = [
      `deleteFollowingEvents(calendarId: "${alice}", eventId: "${id}") { id }`,
      `patchFollowingEvents(calendarId: "${alice}", eventId: "${id}", event: { summary: "Mine" }) { following { id } }`,
    ];
    for (const following of followers)
      expect((await gateway.run(`mutation { result: ${following} }`, {})).problems).toEqual([
        'FORBIDDEN eventId forbiddenForNonOrganizer',
      ]);
  });

  test('an invitation by the organizer replaces the imported copy, and keeps own fields and answer', async () => {
    const series = { ...daily, iCalUID: uid, summary: 'Daily' };
    const original = await gateway.makeEvent(series, { as: bob, calendarId: bob });
    const copy = await imported({ ...series, organizer: { email: bob }, ...guests(alice) });
    await gateway.changeEvent(copy.id, { colorId: '3', reminders: popupReminder(5) });
    await gateway.changeEvent(copy.id, answerOf(alice, 'tentative', 'Perhaps'));
    await gateway.changeEvent(nthId(copy.id, 2), { colorId: '4' });
    const { syncToken } = await listAll(gateway, alice);
    const invited = await gateway.changeEvent(original.id, guests(alice, carol), {
      as: bob,
      calendarId: bob,
    });
    expect(entryOf(invited, alice)).toMatchObject({ responseStatus: 'tentative', comment: 'Perhaps' });
    expect((await listAll(gateway, alice)).shown).toEqual([
      `${original.id} confirmed`,
      `${nthId(original.id, 2)} confirmed`,
    ]);
    const news = await listAll(gateway, alice, syncToken);
    expect(news.shown).toEqual(
      expect.arrayContaining([
        `${copy.id} cancelled`,
        `${nthId(copy.id, 2)} cancelled`,
        `${original.id} confirmed`,
      ]),
    );
    expect(await gateway.readOn(alice, original.id)).toMatchObject({
      colorId: '3',
      reminders: popupReminder(5),
      organizer: { email: bob, self: false },
    });
    await gateway.refusesPatch(copy.id, { status: 'confirmed' }, ['FORBIDDEN event.status forbidden']);
    await refuses({ ...series, organizer: { email: bob } }, ['CONFLICT event.iCalUID duplicate']);
    await gateway.changeEvent(original.id, { summary: 'Changed' }, { as: bob, calendarId: bob });
    expect((await gateway.readOn(alice, original.id)).summary).toBe('Changed');
  });

  test('an invitation keeps what the owner did to single instances, and replaces instances imported alone', async () => {
    const series = { ...daily, iCalUID: uid, summary: 'Daily' };
    const original = await gateway.makeEvent(series, { as: bob, calendarId: bob });
    const copy = await imported({ ...series, organizer: { email: bob }, ...guests(alice) });
    await gateway.changeEvent(nthId(copy.id, 2), { colorId: '4' });
    await gateway.changeEvent(nthId(copy.id, 3), answerOf(alice, 'declined', 'Away'));
    await gateway.run(deleteDocument, { calendarId: alice, eventId: nthId(copy.id, 4) });
    await gateway.changeEvent(nthId(original.id, 2), { summary: 'Second' }, { as: bob, calendarId: bob });
    await gateway.changeEvent(original.id, guests(alice), { as: bob, calendarId: bob });
    const second = await gateway.readOn(alice, nthId(original.id, 2));
    expect([second.colorId, second.summary]).toEqual(['4', 'Second']);
    const third = await gateway.readOn(alice, nthId(original.id, 3));
    expect(entryOf(third, alice)).toMatchObject({ responseStatus: 'declined', comment: 'Away' });
    expect((await gateway.readOn(alice, nthId(original.id, 4))).status).toBe('cancelled');
    expect((await gateway.readOn(bob, nthId(original.id, 2))).colorId).toBeNull();

    const other = { ...series, iCalUID: 'alone@elsewhere.example' };
    const invitation = await gateway.makeEvent(other, { as: bob, calendarId: bob });
    const { start, end } = await gateway.readOn(bob, nthId(invitation.id, 2));
    const instance = { iCalUID: other.iCalUID, originalStartTime: start, start, end, summary: 'Alone' };
    const alone = await imported({ ...instance, organizer: { email: bob }, ...guests(alice) });
    await gateway.changeEvent(alone.id, { colorId: '7' });
    await gateway.changeEvent(invitation.id, guests(alice), { as: bob, calendarId: bob });
    expect((await gateway.readOn(alice, nthId(invitation.id, 2))).colorId).toBe('7');
    expect((await gateway.readOn(alice, alone.id)).status).toBe('cancelled');
  });

  test('an invitation by anybody but its organizer leaves an imported event as it is, and reveals nothing of it', async () => {
    const copy = await imported(foreign);
    await gateway.changeEvent(copy.id, { ...answerOf(alice, 'declined', 'Secret'), colorId: '3' });
    const before = await gateway.readOn(alice, copy.id);
    const asCarol = { as: carol, calendarId: carol };
    const expectUnanswered = (event: EventJson): void =>
      expect(entryOf(event, alice)).toMatchObject({ responseStatus: 'needsAction', comment: null });
    const body = { ...own, ...guests(alice) };
    expectUnanswered((await gateway.insert(body, { ...asCarol, validateOnly: true })).event);
    const event = await gateway.makeEvent(body, asCarol);
    expectUnanswered(event);
    const other = await gateway.makeEvent(own, { as: bob, calendarId: bob });
    expectUnanswered(await gateway.changeEvent(other.id, guests(alice, eve), { as: bob, calendarId: bob }));
    expect(await gateway.readOn(alice, copy.id)).toEqual(before);
    expect((await gateway.readOn(alice, event.id)).colorId).toBeNull();
    expect((await listAll(gateway, alice)).ids.toSorted()).toEqual([copy.id, event.id, other.id].toSorted());
    expect(await imported(foreign)).toEqual(before);
  });

  test('ignores what an event of somebody else cannot have, and a part of a guest list', async () => {
    const { event, warningTexts } = await importBody({ ...foreign, privateCopy: true });
    expect([event.privateCopy, warningTexts]).toEqual([false, ['event.privateCopy ignored']]);
    const part = { ...foreign, ...guests(alice), attendeesOmitted: true };
    expect((await importBody(part)).warningTexts).toEqual(['event.attendeesOmitted ignored']);
    expect((await gateway.readOn(alice, event.id)).attendees).toHaveLength(3);
    const unnamed = { ...own, iCalUID: 'other@elsewhere.example', organizer: { displayName: 'Eve' } };
    expect((await imported(unnamed)).organizer).toMatchObject({ email: alice, self: true });
    await refuses({ ...own, organizer, originalStartTime: { dateTime: '2026-12-01T10:00:00' } }, [
      problemAt('originalStartTime', 'invalid'),
    ]);
  });

  test('a repeated import takes names, times of creation and cancellations; conference and attachments by flags', async () => {
    const attachments = [{ fileUrl: 'https://files.example/a' }];
    const support = { supportsAttachments: true };
    await imported({ ...own, organizer: { email: eve }, attachments }, support);
    const again = { ...own, organizer, created: '2020-01-01T09:00:00Z' };
    const kept = { organizer: { displayName: 'Eve' }, attachments, created: '2020-01-01T09:00:00.000Z' };
    expect(await imported(again)).toMatchObject(kept);
    expect(await imported(again)).toMatchObject(kept);
    expect((await imported(again, support)).attachments).toBeNull();
    const cancelled = await imported({ iCalUID: uid, status: 'cancelled' });
    expect(cancelled.status).toBe('cancelled');
    expect((await imported(again)).status).toBe('confirmed');
  });

  test('a cancelled instance alone of a day needs no times', async () => {
    const day = { iCalUID: uid, organizer, originalStartTime: { date: '2026-12-03' }, status: 'cancelled' };
    const event = await imported(day);
    expect(event.id).toBe(`${event.recurringEventId}_20261203`);
    expect(event.status).toBe('cancelled');
  });

  test('an event that was moved away cannot be imported; an invitation finds the answer of a removed copy', async () => {
    const event = await imported(own, { as: wanda });
    const move = `mutation { result: moveEvent(calendarId: "${alice}", eventId: "${event.id}", destination: "${bob}") { id } }`;
    await gateway.run(move, {}, wanda);
    const { problems, errors } = await importBody(own);
    expect(problems).toEqual(['CONFLICT event.iCalUID duplicate']);
    expect(errors?.[0]?.message).toContain('moved');
    const other = { ...own, iCalUID: 'second@elsewhere.example' };
    const original = await gateway.makeEvent(other, { as: bob, calendarId: bob });
    const copy = await imported({ ...other, organizer: { email: bob } });
    await gateway.run(deleteDocument, { calendarId: alice, eventId: copy.id });
    await gateway.changeEvent(original.id, guests(alice, carol), { as: bob, calendarId: bob });
    expect(entryOf(await gateway.readOn(alice, original.id), alice).responseStatus).toBe('declined');
  });

  test('validates without storing, and answers a repeated request with the first result', async () => {
    expect(await imported(own, { validateOnly: true })).toMatchObject({ summary: 'Planning' });
    expect((await listAll(gateway, alice)).ids).toEqual([]);
    const event = await imported(own, { requestId: 'first' });
    expect(await imported(own, { requestId: 'first' })).toEqual(event);
    await refuses({ ...own, summary: 'Other' }, ['CONFLICT requestId requestIdReused'], {
      requestId: 'first',
    });
  });
});
