import { alice, bob, carol, documents, type Controls, type Outcome, wanda } from '../event/event.harness.ts';
import { documents as following } from '../event/following.harness.ts';
import { readMail } from '../mail/mail-reading.ts';
import { stores } from '../stores.ts';
import { guest, summarizeMails, seedCalendars, findMailTo, openMailing } from './mail-walk.harness.ts';
import { useForAll } from '../use-resource.ts';

const notifyAll: Controls = { sendUpdates: 'all' };
const byBob: Controls = { ...notifyAll, as: bob };
const berlinTime = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const berlinTimes = (start: string, end: string) => ({ start: berlinTime(start), end: berlinTime(end) });
const lunch = { summary: 'Lunch', ...berlinTimes('2026-10-12T10:00:00+02:00', '2026-10-12T11:00:00+02:00') };
const weekly = { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] };
const room = { email: 'room3@resource.example', resource: true };
const attendees = [{ email: alice }, { email: bob }, { email: guest }, room];
const partialList = { attendeesOmitted: true };
const bobsResponse = (responseStatus: string) => ({
  ...partialList,
  attendees: [{ email: bob, responseStatus }],
});
const requestMails =
  (subject: string) =>
  (...guests: readonly string[]): string[] =>
    guests.map((to) => `${to} REQUEST ${subject}`).sort();
const [invitationMails, updateMails] = [requestMails('Invitation: Lunch'), requestMails('Updated: Lunch')];
const cancelMail = (to: string): string => `${to} CANCEL Cancelled: Lunch`;
const declineMail = `${alice} REPLY Declined: Lunch`;
const newLocation = { location: 'Room 1' };

/** Event of an organizer outside of this gateway. */
const externalEvent = {
  id: 'outside1',
  summary: 'Visit',
  start: { dateTime: '2026-10-12T10:00:00Z' },
  end: { dateTime: '2026-10-12T11:00:00Z' },
  organizer: { email: 'boss@out.example' },
  attendees: [{ email: bob, responseStatus: 'accepted' }],
};
/** Imported event whose organizer has no e-mail address. */
const eventWithoutOrganizerAddress = {
  id: 'nobodys',
  ...lunch,
  guestsCanModify: true,
  organizer: { displayName: 'Somebody' },
  attendees: [{ email: bob }, { email: guest }],
};
const events: Readonly<Record<string, object[]>> = {
  [alice]: [eventWithoutOrganizerAddress],
  [bob]: [externalEvent],
};
const seed = {
  calendars: seedCalendars.map((calendar) => ({ ...calendar, events: events[calendar.id] ?? [] })),
};

describe.each(stores)('mails, over $name:', ({ useEnvironments }) => {
  const environment = useEnvironments();
  const mailing = useForAll(async () => openMailing(await environment(), undefined, { seed }));

  /** Runs a change; returns its outcome and the mails it caused. */
  async function runAndCollect(makeChange: () => Promise<Outcome>) {
    let outcome: Outcome | undefined;
    const mails = await mailing.gateway.collectMails(async () => {
      outcome = await makeChange();
    });
    const { problems, warningTexts, notifiedCount, event } = outcome as Outcome;
    return { mails, summaries: summarizeMails(mails), problems, warningTexts, notifiedCount, event };
  }
  const makeLunch = async (body: object = {}, controls: Controls = {}): Promise<string> =>
    (await mailing.gateway.makeEvent({ ...lunch, attendees, ...body }, controls)).id;
  const insertLunchAndCollect = (body: object, controls: Controls = notifyAll) =>
    runAndCollect(() => mailing.gateway.insert({ ...lunch, attendees, ...body }, controls));
  const patchAndCollect = (id: string, body: object, controls: Controls = notifyAll) =>
    runAndCollect(() => mailing.gateway.patch(id, body, controls));

  test('are not sent for a new event that is cancelled', async () => {
    expect((await insertLunchAndCollect({ status: 'cancelled' })).summaries).toEqual([]);
  });

  test('tell an external organizer that a guest removed the event from their calendar, and who did it', async () => {
    const controls = { ...notifyAll, as: wanda, calendarId: bob };
    const { summaries, mails, problems } = await patchAndCollect(
      'outside1',
      { status: 'cancelled' },
      controls,
    );
    expect([problems, summaries]).toEqual([[], ['boss@out.example REPLY Declined: Visit']]);
    const expectedText = `${bob} declined the invitation. ${wanda} wrote that for this guest.`;
    expect(mails[0]?.email.text).toContain(expectedText);
  });

  const byWanda = { ...notifyAll, as: wanda, calendarId: alice };
  const forBob = { ...byWanda, calendarId: bob };
  const copyFields = {
    colorId: '2',
    reminders: { useDefault: false },
    visibility: 'private',
    transparency: 'transparent',
    extendedProperties: { private: { a: '1' } },
  };
  const externalByBob = { sendUpdates: 'externalOnly', as: bob };
  const withWanda = { attendees: [...attendees, { email: wanda }] };
  const carolReplacesGuest = { attendees: [{ email: alice }, { email: bob }, { email: carol }, room] };

  test.each<[string, object, Controls, string[]]>([
    ['all guests except rooms', newLocation, notifyAll, updateMails(bob, guest)],
    ['all guests with sendNotifications', newLocation, { sendNotifications: true }, updateMails(bob, guest)],
    ['only external guests', newLocation, { sendUpdates: 'externalOnly' }, updateMails(guest)],
    ['nobody with sendUpdates: none', newLocation, { sendUpdates: 'none' }, []],
    ['nobody without sendUpdates', newLocation, {}, []],
    ['nobody for a dry run', newLocation, { ...notifyAll, validateOnly: true }, []],
    ['nobody without a change', { summary: 'Lunch' }, notifyAll, []],
    ['nobody for fields of one copy', copyFields, notifyAll, []],
    [
      'guests, for a change by a writer of the organizer’s calendar',
      newLocation,
      byWanda,
      updateMails(bob, guest),
    ],
    ['guests except the writer who made the change', withWanda, byWanda, updateMails(bob, guest)],
    [
      'the organizer, but not the guest for whom a writer acts',
      newLocation,
      forBob,
      updateMails(alice, guest),
    ],
    ['the organizer, for a response', bobsResponse('tentative'), byBob, [`${alice} REPLY Tentative: Lunch`]],
    [
      'the organizer with a calendar here, for a response',
      bobsResponse('declined'),
      externalByBob,
      [declineMail],
    ],
    ['the organizer, for an event that a guest removed', { status: 'cancelled' }, byBob, [declineMail]],
    [
      'added, removed and other guests',
      carolReplacesGuest,
      notifyAll,
      [cancelMail(guest), ...updateMails(bob), ...invitationMails(carol)],
    ],
  ])('reach %s', async (_name, body, controls, expected) => {
    const id = await makeLunch({ guestsCanModify: !('status' in body) });
    const notifiedCount = expected.length;
    expect(await patchAndCollect(id, body, controls)).toMatchObject({
      summaries: expected.toSorted(),
      notifiedCount,
      problems: [],
      warningTexts: [],
    });
  });

  test('tell the organizer that a guest removed an instance', async () => {
    const id = await makeLunch(weekly);
    const { mails, summaries } = await runAndCollect(() =>
      mailing.gateway.run(
        'mutation ($id: String!) { result: deleteEvent(calendarId: "primary", eventId: $id, sendUpdates: all) }',
        { id: `${id}_20261019T080000Z` },
        bob,
      ),
    );
    expect(summaries).toEqual([declineMail]);
    expect(readMail(findMailTo(mails, alice)).events).toEqual([
      expect.objectContaining({
        recurrenceId: '2026-10-19T08:00:00.000Z',
        attendees: [expect.objectContaining({ address: bob, status: 'DECLINED' })],
      }),
    ]);
  });

  test('are sent once for a repeated request', async () => {
    const variables = { calendarId: alice, requestId: 'lunch', ...notifyAll, event: { ...lunch, attendees } };
    const send = () => runAndCollect(() => mailing.gateway.run(documents.insert, variables));
    expect((await send()).summaries).toEqual(invitationMails(bob, guest));
    expect(await send()).toMatchObject({ summaries: [], notifiedCount: 0, problems: [] });
  });

  test('with hidden guests, about a change of the list reach only the guests it concerns', async () => {
    const id = await makeLunch({ guestsCanSeeOtherGuests: false });
    const attendeeChanges = { add: [{ email: carol }], remove: [bob] };
    const { summaries, notifiedCount } = await patchAndCollect(id, {}, { ...notifyAll, attendeeChanges });
    expect([summaries, notifiedCount]).toEqual([[cancelMail(bob), ...invitationMails(carol)].sort(), 2]);
    expect((await patchAndCollect(id, newLocation)).summaries).toEqual(updateMails(carol, guest));
  });

  test('to hidden guests are not counted for a guest who makes the change', async () => {
    const id = await makeLunch({ guestsCanSeeOtherGuests: false, guestsCanModify: true });
    const { summaries, notifiedCount } = await patchAndCollect(id, newLocation, byBob);
    expect([summaries, notifiedCount]).toEqual([updateMails(alice, guest), 1]);
  });

  test('are not sent without an address of the organizer, with a warning', async () => {
    const noMailsOutcome = {
      summaries: [],
      notifiedCount: 0,
      problems: [],
      warningTexts: ['sendUpdates incomplete'],
    };
    expect(await patchAndCollect('nobodys', newLocation)).toMatchObject(noMailsOutcome);
    expect(await patchAndCollect('nobodys', bobsResponse('accepted'), byBob)).toMatchObject(noMailsOutcome);
    expect(
      (await patchAndCollect('nobodys', { location: 'Room 2' }, { sendUpdates: 'none' })).warningTexts,
    ).toEqual([]);
  });

  test('have times in the zone of the recipient’s calendar, else of the event or its calendar', async () => {
    const { mails } = await insertLunchAndCollect(
      {
        start: { dateTime: '2026-10-12T10:00:00+02:00' },
        end: { dateTime: '2026-10-12T11:00:00+02:00' },
        attendees: [{ email: guest }, { email: carol }],
      },
      byBob,
    );
    const mailTextTo = (address: string) => findMailTo(mails, address).email.text;
    expect(mailTextTo(guest)).toContain('\nTime: Monday, 2026-10-12, 04:00 to 05:00 (America/New_York)\n');
    expect(mailTextTo(carol)).toContain('\nTime: Monday, 2026-10-12, 17:00 to 18:00 (Asia/Tokyo)\n');
  });

  describe('about an instance and the following ones', () => {
    const eventId = async (): Promise<string> => `${await makeLunch(weekly)}_20261026T090000Z`;

    test('are an update of the first part and an invitation to the second, once', async () => {
      const variables = {
        calendarId: alice,
        eventId: await eventId(),
        ...notifyAll,
        requestId: 'from then on',
        event: { summary: 'Dinner' },
      };
      const { mails, summaries } = await runAndCollect(() => mailing.gateway.run(following.patch, variables));
      const newSeries = requestMails('Invitation: Dinner')(bob, guest);
      expect(summaries).toEqual([...updateMails(bob, guest), ...newSeries].sort());
      const [first, second] = ['Updated', 'Invitation'].map((word) => {
        const mail = mails.filter(({ email }) => email.subject?.startsWith(word));
        return readMail(findMailTo(mail, guest)).events[0];
      });
      expect(first?.starts).toEqual(['2026-10-12T08:00:00.000Z', '2026-10-19T08:00:00.000Z']);
      expect(second?.starts).toEqual(['2026-10-26T09:00:00.000Z', '2026-11-02T09:00:00.000Z']);
      expect(first?.uid).not.toBe(second?.uid);
      expect((await runAndCollect(() => mailing.gateway.run(following.patch, variables))).summaries).toEqual(
        [],
      );
    });

    test('are an update of the series if they are deleted', async () => {
      const { mails, summaries, notifiedCount } = await runAndCollect(async () =>
        mailing.gateway.run(following.delete, {
          calendarId: alice,
          eventId: await eventId(),
          ...notifyAll,
        }),
      );
      expect([summaries, notifiedCount]).toEqual([updateMails(bob, guest), 2]);
      expect(readMail(findMailTo(mails, bob)).events[0]).toMatchObject({
        sequence: 1,
        starts: ['2026-10-12T08:00:00.000Z', '2026-10-19T08:00:00.000Z'],
      });
    });
  });

  test('tell guests of future events that their calendar was deleted', async () => {
    const { gateway, mailbox } = mailing;
    const insertTeam =
      'mutation { insertCalendar(calendar: { summary: "Team", timeZone: "Europe/Berlin" }) { id } }';
    const { data } = await gateway.ask(insertTeam);
    const calendarId = data.insertCalendar.id as string;
    const futureTimes = berlinTimes('2099-10-12T10:00:00+02:00', '2099-10-12T11:00:00+02:00');
    const series = await makeLunch({ ...futureTimes, ...weekly }, { calendarId });
    await gateway.changeEvent(`${series}_20991019T080000Z`, { summary: 'Other' }, { calendarId });
    await makeLunch(berlinTimes('2020-10-12T10:00:00+02:00', '2020-10-12T11:00:00+02:00'), { calendarId });
    const mailCountBefore = mailbox.mails.length;
    const deleteMutation = `mutation { deleteCalendar(calendarId: "${calendarId}", sendUpdates: externalOnly) }`;
    const deleted = await gateway.ask(deleteMutation);
    expect(deleted.data).toEqual({ deleteCalendar: true });
    await mailbox.waitForMails(mailCountBefore + 1);
    await gateway.collectMails(async () => undefined);
    expect(summarizeMails(mailbox.mails.slice(mailCountBefore))).toEqual([cancelMail(guest)]);
  });

  const run = (document: string, variables: object, as = alice): Promise<Outcome> =>
    mailing.gateway.run(document, variables, as);
  const importInto = async (event: object): Promise<string> =>
    (
      await run(
        'mutation ($event: EventInput!) { result: importEvent(calendarId: "alice@example.com", event: $event) { id } }',
        { event },
      )
    ).event.id as string;

  test('an imported event of somebody else mails only the response of the owner, even if the owner is on no guest list', async () => {
    const importedVisit = {
      ...lunch,
      iCalUID: 'visit@out.example',
      organizer: { email: 'boss@out.example' },
    };
    const id = await importInto({ ...importedVisit, guestsCanModify: true, attendees: [{ email: guest }] });
    const patched = await runAndCollect(() => mailing.gateway.patch(id, { summary: 'Tea' }, notifyAll));
    expect(patched).toMatchObject({
      summaries: [],
      notifiedCount: 0,
      warningTexts: ['sendUpdates incomplete'],
    });
    const removal = await runAndCollect(() => mailing.gateway.patch(id, { status: 'cancelled' }, notifyAll));
    expect(removal.summaries).toEqual(['boss@out.example REPLY Declined: Tea']);
    expect(removal.mails[0]?.calendar.toString()).toMatch(/PARTST\s*AT=DECLINED/);
    const restored = await runAndCollect(() => mailing.gateway.patch(id, { status: 'confirmed' }, notifyAll));
    expect([restored.summaries, restored.notifiedCount]).toEqual([[], 0]);
  });

  test('mails about an imported instance that is stored without its series name the instance', async () => {
    const instance = {
      ...lunch,
      iCalUID: 'alone@out.example',
      originalStartTime: berlinTime('2026-10-12T09:00:00+02:00'),
      attendees: [{ email: alice }, { email: guest }],
    };
    const recurrenceIdsOf = ({ mails }: { readonly mails: Parameters<typeof findMailTo>[0] }, to: string) =>
      readMail(findMailTo(mails, to)).events.map(({ recurrenceId }) => recurrenceId);
    const expectedIds = ['2026-10-12T07:00:00.000Z'];
    const foreignId = await importInto({ ...instance, organizer: { email: 'boss@out.example' } });
    const ownersResponse = { ...partialList, attendees: [{ email: alice, responseStatus: 'accepted' }] };
    expect(recurrenceIdsOf(await patchAndCollect(foreignId, ownersResponse), 'boss@out.example')).toEqual(
      expectedIds,
    );
    const ownId = await importInto({
      ...instance,
      iCalUID: 'own@out.example',
      originalStartTime: { dateTime: '2026-10-12T07:00:00Z' },
    });
    const changed = await patchAndCollect(ownId, newLocation);
    expect([changed.summaries, recurrenceIdsOf(changed, guest)]).toEqual([updateMails(guest), expectedIds]);
    const removed = await patchAndCollect(ownId, { attendees: [{ email: alice }] });
    expect([removed.summaries, recurrenceIdsOf(removed, guest)]).toEqual([[cancelMail(guest)], expectedIds]);
  });

  test('a move mails an update in the name of the new organizer', async () => {
    const series = { ...lunch, ...weekly, attendees: [{ email: alice }, { email: guest }] };
    const { id } = await mailing.gateway.makeEvent(series, { as: wanda });
    await mailing.gateway.changeEvent(
      `${id}_20261019T080000Z`,
      { location: 'Room 9' },
      { as: wanda, calendarId: alice },
    );
    const moveMutation =
      'mutation ($id: String!) { result: moveEvent(calendarId: "alice@example.com", eventId: $id, destination: "bob@example.com", sendUpdates: all) { id } }';
    const { summaries, mails, notifiedCount } = await runAndCollect(() => run(moveMutation, { id }, wanda));
    expect(summaries).toEqual(updateMails(alice, guest));
    expect(notifiedCount).toBe(2);
    const [calendarText] = mails.map((mail) => mail.calendar.toString());
    expect(calendarText).toMatch(/ORGANIZER[^:]*:mailto:bob@example\.com/);
    expect(calendarText).toContain('SEQUENCE:1');
    expect(calendarText).toContain('Room 9');
  });
});
