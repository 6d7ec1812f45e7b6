import type { Locator, Page } from 'playwright-core';
import { eventually } from '../eventually.ts';
import { describeInChromium } from './chromium.ts';
import { pressButton, useWindows } from './demo-windows.harness.ts';
import { findViolations, startDemo, waitForClosed, waitForLive } from './demo.harness.ts';

const alice = 'alice@example.com';
const bob = 'bob@example.com';
const team = 'team@group.calendar.example.com';
const insertMutation =
  'mutation ($calendarId: String!, $event: EventInput!) { insertEvent(calendarId: $calendarId, event: $event) { id } }';
const patchMutation =
  'mutation ($eventId: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $eventId, event: $event) { id } }';

describeInChromium('moving an event to another calendar on the demo page', () => {
  let page: Page;
  const demo = useWindows(({ here }) => (page = here.page));

  /**
   * Inserts an event on Wednesday 13 January 2027, and returns its id. Each event has an hour of its own, because the
   * page hides some of several simultaneous events.
   */
  const insertEvent = async (
    hour: string,
    event: object,
    { calendarId = 'primary', caller = alice } = {},
  ): Promise<string> => {
    const timeZone = 'Europe/Berlin';
    const start = { dateTime: `2027-01-13T${hour}:00:00`, timeZone };
    const end = { dateTime: `2027-01-13T${hour}:45:00`, timeZone };
    const { insertEvent: inserted } = await demo.ask<{ insertEvent: { id: string } }>(
      caller,
      insertMutation,
      {
        calendarId,
        event: { start, end, ...event },
      },
    );
    return inserted.id;
  };
  /** Lists Alice's own calendars that have events with this title, once for each event. */
  const findCalendarsWith = async (title: string): Promise<string[]> => {
    const findOnCalendar = async (calendarId: string): Promise<string[]> => {
      const { events } = await demo.ask<{ events: { nodes: unknown[] } }>(
        alice,
        'query ($id: String!, $q: String!) { events(calendarId: $id, q: $q) { nodes { id } } }',
        { id: calendarId, q: title },
      );
      return events.nodes.map(() => calendarId);
    };
    return [...(await findOnCalendar(alice)), ...(await findOnCalendar(team))];
  };
  const openWeek = async (): Promise<void> => {
    await page.goto(`${demo.address}/demo?view=week&date=2027-01-13`);
    await waitForLive(page);
  };
  const openQuickView = async (title: string, weekday = ''): Promise<void> =>
    page
      .getByRole('button', { name: new RegExp(`^${title} ${weekday}`) })
      .first()
      .click();
  const moveButton = (): Locator => page.getByRole('button', { name: 'Move to calendar', exact: true });
  const waitForNotice = (text: string): Promise<void> =>
    page.getByRole('status', { name: 'Notices' }).getByText(text, { exact: true }).waitFor();
  /** Waits until the quick view of an event names this calendar, and closes it. */
  const waitForCalendar = (title: string, calendar: string): Promise<void> =>
    eventually(async () => {
      await openQuickView(title);
      const text = await page.getByRole('definition').filter({ has: moveButton() }).innerText();
      await page.keyboard.press('Escape');
      await waitForClosed(page);
      expect(text).toBe(`${calendar} Move to calendar`);
    });

  test('an event moves to the chosen calendar and back', async () => {
    await insertEvent('08', { summary: 'Picnic', attendees: [{ email: bob }] });
    await openWeek();
    await openQuickView('Picnic');
    await moveButton().click();
    const dialog = page.getByRole('dialog', { name: 'Move to calendar' });
    // Bob's calendar is read-only, and the event's own is no destination.
    expect(await dialog.getByRole('option').allInnerTexts()).toEqual([team]);
    await dialog.getByText('Guests are not notified: this gateway sends no mail.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await pressButton(page, 'Cancel');
    await dialog.waitFor({ state: 'detached' });
    expect(await findViolations(page)).toEqual([]);
    await moveButton().press('Enter');
    await dialog.getByLabel('Calendar').press('Enter');
    await pressButton(page, 'Move');
    await waitForClosed(page);
    await waitForNotice(`Done: “Picnic” was moved to ${team}.`);
    expect(await findCalendarsWith('Picnic')).toEqual([team]);
    await waitForCalendar('Picnic', team);

    await pressButton(page, 'Undo');
    await waitForNotice('Done: The move of “Picnic” was undone.');
    expect(await findCalendarsWith('Picnic')).toEqual([alice]);
    await waitForCalendar('Picnic', alice);
  });

  test('an instance moves with its series', async () => {
    await insertEvent('09', { summary: 'Rowing', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
    await openWeek();
    await openQuickView('Rowing', 'Thursday');
    await moveButton().click();
    await page.getByText('All events of the series move.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await pressButton(page, 'Move');
    await waitForNotice(`Done: All events of “Rowing” were moved to ${team}.`);
    expect(await findCalendarsWith('Rowing')).toEqual([team]);
    for (const date of ['Wednesday 13', 'Thursday 14', 'Friday 15'])
      await eventually(async () =>
        expect(
          await page.getByRole('button', { name: new RegExp(`^Rowing ${date} January, 09:00`) }).count(),
        ).toBe(1),
      );
    await waitForCalendar('Rowing', team);
    await pressButton(page, 'Undo');
    await waitForNotice('Done: The move of “Rowing” was undone.');
    expect(await findCalendarsWith('Rowing')).toEqual([alice]);
  });

  test('an event that somebody else changed meanwhile is neither moved nor moved back', async () => {
    const eventId = await insertEvent('10', { summary: 'Fitting' });
    await openWeek();
    await openQuickView('Fitting');
    await demo.ask(alice, patchMutation, { eventId, event: { location: 'Tailor' } });
    await moveButton().click();
    await pressButton(page, 'Move');
    await page.getByText('Not moved: somebody else changed this event meanwhile.').waitFor();
    await page.getByRole('definition').filter({ hasText: 'Tailor' }).waitFor();
    expect(await findCalendarsWith('Fitting')).toEqual([alice]);
    await moveButton().click();
    await pressButton(page, 'Move');
    await waitForNotice(`Done: “Fitting” was moved to ${team}.`);
    await demo.ask(alice, patchMutation.replace('"primary"', `"${team}"`), {
      eventId,
      event: { location: 'Salon' },
    });
    await pressButton(page, 'Undo');
    await waitForNotice('Error: “Fitting” was not moved back: it was changed since then.');
    expect(await findCalendarsWith('Fitting')).toEqual([team]);
  });

  test('a refusal of the gateway is shown in the quick view', async () => {
    const iCalUID = 'recital@calendar.example.com';
    await insertEvent('11', { summary: 'Recital', iCalUID });
    await insertEvent('12', { summary: 'Recital of the team', iCalUID }, { calendarId: team });
    await openWeek();
    await openQuickView('Recital', 'Wednesday');
    await moveButton().click();
    await pressButton(page, 'Move');
    await page
      .getByRole('alert')
      .getByText('The calendar to which the event would move has another event with its id or iCalUID.')
      .waitFor();
  });

  test('no move is offered for a guest’s copy, or to a writer who did not create the event', async () => {
    await demo.ask(
      bob,
      `mutation { setCalendarAccess(calendarId: "primary", email: "${alice}", role: writer) { role } }`,
    );
    await insertEvent(
      '13',
      { summary: 'Invitation', attendees: [{ email: alice }] },
      { caller: 'carol@example.com' },
    );
    await insertEvent('14', { summary: 'Created by Bob' }, { caller: bob });
    await insertEvent('15', { summary: 'Created by Alice' }, { calendarId: bob });
    await openWeek();
    for (const title of ['Invitation', 'Created by Bob']) {
      await openQuickView(title);
      await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
      expect([title, await moveButton().count()]).toEqual([title, 0]);
      await page.keyboard.press('Escape');
      await waitForClosed(page);
    }
    await openQuickView('Created by Alice');
    await moveButton().click();
    const dialog = page.getByRole('dialog', { name: 'Move to calendar' });
    expect(await dialog.getByRole('option').allInnerTexts()).toEqual([alice, team]);
    await pressButton(page, 'Cancel');
    await page.keyboard.press('Escape');
    await waitForClosed(page);
    // Bob becomes the organizer of an event that moves to his calendar.
    await insertEvent('16', { summary: 'Handover' });
    await openQuickView('Handover');
    await moveButton().click();
    await dialog.getByLabel('Calendar').selectOption(bob);
    await dialog.getByText('The owner of the calendar becomes the organizer.').waitFor();
    await pressButton(page, 'Move');
    await waitForNotice(`Done: “Handover” was moved to ${bob}.`);
    expect(await findCalendarsWith('Handover')).toEqual([]);
    await pressButton(page, 'Undo');
    await waitForNotice('Done: The move of “Handover” was undone.');
    expect(await findCalendarsWith('Handover')).toEqual([alice]);
  });
});

describeInChromium('moving an event to another calendar, with a mail server', () => {
  test('guests are notified of the move if that is chosen', async () => {
    const demo = await startDemo(undefined, {
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'calendar@example.com',
    });
    const { page, faults } = await demo.browser.visit(`${demo.address}/demo`);
    await waitForLive(page);
    await page
      .getByRole('button', { name: /^Team meeting / })
      .first()
      .click();
    await pressButton(page, 'Move to calendar');
    await page.getByLabel('Notify guests by mail').check();
    await pressButton(page, 'Move');
    await page.getByText(/^Done: [12345] guests? will be notified by mail\.$/).waitFor();
    expect(faults).toEqual([]);
    await demo.stop();
  });
});
