import type { Locator, Page } from 'playwright-core';
import { eventually } from '../eventually.ts';
import { describeInChromium } from './chromium.ts';
import { measureBox, readEdgeColor } from './demo-grid.harness.ts';
import { pressButton, useWindows } from './demo-windows.harness.ts';
import {
  chooseScope,
  openEditor,
  findViolations,
  pressSave,
  waitForClosed,
  waitForLive,
} from './demo.harness.ts';

const alice = 'alice@example.com';
/** A day far from any change of clocks in Berlin and New York. */
const wednesday = '2027-01-13';
const berlin = 'Europe/Berlin';
const newYork = 'America/New_York';
const colorNames = [
  'Lavender',
  'Sage',
  'Grape',
  'Flamingo',
  'Banana',
  'Tangerine',
  'Peacock',
  'Graphite',
  'Blueberry',
  'Basil',
  'Tomato',
];

describeInChromium('an event on the demo page', () => {
  let page: Page;
  const demo = useWindows(({ here }) => (page = here.page));

  const insertEvent = async (event: object, owner = alice): Promise<string> => {
    const { insertEvent: inserted } = await demo.ask<{ insertEvent: { id: string } }>(
      owner,
      'mutation ($event: EventInput!) { insertEvent(calendarId: "primary", event: $event) { id } }',
      { event },
    );
    return inserted.id;
  };
  const hoursOnWednesday = (from: string, to: string, timeZone = berlin) => ({
    start: { dateTime: `${wednesday}T${from}:00`, timeZone },
    end: { dateTime: `${wednesday}T${to}:00`, timeZone },
  });
  const readEvent = async (title: string): Promise<Record<string, unknown> | undefined> => {
    const { events } = await demo.ask<{ events: { nodes: Record<string, unknown>[] } }>(
      alice,
      `query ($q: String!) { events(calendarId: "primary", q: $q) {
        nodes { id status summary colorId reminders { useDefault } start { dateTime timeZone } end { dateTime timeZone } } } }`,
      { q: title },
    );
    return events.nodes[0];
  };
  const openView = async (view = 'week', date = wednesday): Promise<void> => {
    await page.goto(`${demo.address}/demo?view=${view}&date=${date}`);
    await waitForLive(page);
  };
  const eventButtons = (name: RegExp): Locator => page.getByRole('button', { name });
  const eventButton = (name: RegExp): Locator => eventButtons(name).first();
  const readDetails = (): Promise<string[]> => page.getByRole('definition').allInnerTexts();
  const waitForNotice = (text: string): Promise<void> =>
    page.getByRole('status', { name: 'Notices' }).getByText(text).waitFor();

  test('the colour of an event is chosen by name, visible everywhere, and can be reset to that of the calendar', async () => {
    await insertEvent({ summary: 'Harvest', ...hoursOnWednesday('10:00', '11:00') });
    await openView();
    const readColor = (): Promise<string> => readEdgeColor(eventButton(/^Harvest/));
    await eventButton(/^Harvest/).waitFor();
    const calendarColor = await readColor();
    await openEditor(eventButton(/^Harvest/));
    const colorSelect = page.getByLabel('Colour', { exact: true });
    const names = await colorSelect.getByRole('option').allInnerTexts();
    expect(names).toEqual([expect.stringMatching(/^Calendar’s colour \(\w+\)$/), ...colorNames]);
    await colorSelect.selectOption('Tomato');
    expect(await findViolations(page)).toEqual([]);
    await pressSave(page);
    await waitForClosed(page);
    await eventually(async () => expect(await readColor()).toBe('rgb(221, 34, 34)'));
    expect(await readEvent('Harvest')).toMatchObject({ colorId: '11' });
    await eventButton(/^Harvest/).click();
    expect(await readDetails()).toContain('Tomato');
    await pressButton(page, 'Edit');
    expect(await colorSelect.inputValue()).toBe('11');
    await colorSelect.selectOption('');
    await pressSave(page);
    await waitForClosed(page);
    await eventually(async () => expect(await readColor()).toBe(calendarColor));
    expect(await readEvent('Harvest')).toMatchObject({ colorId: null });
  });

  test('the title of an event can be read in each colour, in light and dark', async () => {
    const date = '2027-01-20';
    for (const [index, name] of colorNames.entries()) {
      const hour = `${index + 8}`.padStart(2, '0');
      const startTime = { dateTime: `${date}T${hour}:00:00`, timeZone: berlin };
      const end = { ...startTime, dateTime: `${date}T${hour}:45:00` };
      await insertEvent({ summary: name, colorId: `${index + 1}`, start: startTime, end });
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await openView('day', date);
      await eventButton(/^Tomato/).waitFor();
      // axe checks the contrast of each title.
      expect(await findViolations(page)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('a new event has the time zone of its calendar, and can have another', async () => {
    await openView();
    await pressButton(page, 'New event');
    const zoneSelect = page.getByLabel('Time zone', { exact: true });
    expect(await zoneSelect.inputValue()).toBe(berlin);
    await page.getByLabel('Title').fill('Call to New York');
    for (const label of ['Start date', 'End date']) await page.getByLabel(label).fill(wednesday);
    await page.getByLabel('Start time').fill('10:00');
    await page.getByLabel('End time').fill('11:00');
    await zoneSelect.selectOption('America/New York');
    await page.getByText('Wednesday 13 January, 16:00 – 17:00 in Europe/Berlin').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('All day').check();
    await zoneSelect.waitFor({ state: 'detached' });
    await page.getByLabel('All day').uncheck();
    await pressSave(page);
    await waitForClosed(page);
    await eventButton(/^Call to New York Wednesday 13 January, 16:00 – 17:00/).waitFor();
    expect(await readEvent('Call to New York')).toMatchObject({
      start: { dateTime: '2027-01-13T10:00:00-05:00', timeZone: newYork },
      end: { dateTime: '2027-01-13T11:00:00-05:00', timeZone: newYork },
    });
  });

  test('an event in another time zone keeps it when it is renamed or moved', async () => {
    await insertEvent({ summary: 'Broadcast', ...hoursOnWednesday('08:00', '09:00', newYork) });
    await openView();
    await eventButton(/^Broadcast Wednesday 13 January, 14:00/).click();
    const ownTimes = `${newYork}: Wednesday 13 January, 08:00 – 09:00`;
    expect(await readDetails()).toEqual(
      expect.arrayContaining(['Wednesday 13 January, 14:00 – 15:00 (Europe/Berlin)', ownTimes]),
    );
    expect(
      await eventButton(/^Broadcast/)
        .locator('.event-title')
        .getAttribute('title'),
    ).toContain(ownTimes);
    await pressButton(page, 'Edit');
    expect(await page.getByLabel('Time zone', { exact: true }).inputValue()).toBe(newYork);
    expect(await page.getByLabel('Start time').inputValue()).toBe('08:00');
    await page.getByLabel('Title').fill('Broadcast live');
    await pressSave(page);
    await waitForClosed(page);
    expect(await readEvent('Broadcast live')).toMatchObject({
      start: { dateTime: '2027-01-13T08:00:00-05:00', timeZone: newYork },
    });
    await eventButton(/^Broadcast live/).press('Alt+ArrowDown');
    await waitForNotice('“Broadcast live” moved to Wednesday 13 January, 14:15 – 15:15.');
    expect(await readEvent('Broadcast live')).toMatchObject({
      start: { dateTime: '2027-01-13T14:15:00+01:00', timeZone: newYork },
    });
  });

  test('an event that starts and ends in different time zones shows and keeps both', async () => {
    const { start } = hoursOnWednesday('20:00', '21:00', newYork);
    const end = { dateTime: '2027-01-14T09:00:00', timeZone: berlin };
    await insertEvent({ summary: 'Flight', start, end });
    await openView();
    await openEditor(eventButton(/^Flight/));
    expect(await page.getByLabel('Time zone of the start').inputValue()).toBe(newYork);
    expect(await page.getByLabel('End time').inputValue()).toBe('09:00');
    await page.getByLabel('End time').fill('09:30');
    await pressSave(page);
    await waitForClosed(page);
    expect(await readEvent('Flight')).toMatchObject({
      start: { dateTime: '2027-01-13T20:00:00-05:00', timeZone: newYork },
      end: { dateTime: '2027-01-14T09:30:00+01:00', timeZone: berlin },
    });
  });

  test('a series gets another time zone, in which its hour stays', async () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
    await insertEvent({ summary: 'Market', ...hoursOnWednesday('09:00', '09:30'), recurrence });
    await openView();
    await openEditor(eventButton(/^Market Thursday 14 January/));
    await page.getByLabel('Time zone', { exact: true }).selectOption('America/New York');
    await pressSave(page);
    await chooseScope(page, 'All events', 'Change');
    await waitForClosed(page);
    for (const date of ['Wednesday 13', 'Thursday 14', 'Friday 15'])
      await eventButton(new RegExp(`^Market ${date} January, 15:00 – 15:30`)).waitFor();
    expect(await readEvent('Market')).toMatchObject({
      start: { dateTime: '2027-01-13T09:00:00-05:00', timeZone: newYork },
    });
  });

  test('a move by keys and a resize by pointer are undone', async () => {
    await insertEvent({ summary: 'Rehearsal', ...hoursOnWednesday('10:00', '11:00') });
    await openView();
    const originalTimes = { start: { dateTime: '2027-01-13T10:00:00+01:00', timeZone: berlin } };
    await eventButton(/^Rehearsal/).press('Alt+ArrowRight');
    await waitForNotice('“Rehearsal” moved to Thursday 14 January, 10:00 – 11:00.');
    await page.keyboard.press('Alt+ArrowDown');
    await waitForNotice('“Rehearsal” moved to Thursday 14 January, 10:15 – 11:15.');
    expect(await page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter');
    await waitForNotice('The move of “Rehearsal” was undone.');
    await eventButton(/^Rehearsal Wednesday 13 January, 10:00 – 11:00/).waitFor();
    expect(await readEvent('Rehearsal')).toMatchObject(originalTimes);
    // The focus is on the event again.
    await page.locator(`[data-date="${wednesday}"] [data-event]:focus`).waitFor();

    const { x, y, height } = await measureBox(eventButton(/^Rehearsal/));
    await page.mouse.move(x + 30, y + height - 2);
    await page.mouse.down();
    await page.mouse.move(x + 30, y + height * 1.5, { steps: 5 });
    await page.mouse.up();
    await waitForNotice('“Rehearsal” resized to Wednesday 13 January, 10:00 – ');
    await pressButton(page, 'Undo');
    await eventButton(/^Rehearsal Wednesday 13 January, 10:00 – 11:00/).waitFor();
    await eventually(async () =>
      expect(await readEvent('Rehearsal')).toMatchObject({
        ...originalTimes,
        end: { dateTime: '2027-01-13T11:00:00+01:00', timeZone: berlin },
      }),
    );
  });

  test('a move is not undone over a later change by somebody else', async () => {
    const id = await insertEvent({ summary: 'Tasting', ...hoursOnWednesday('12:00', '13:00') });
    await openView();
    await eventButton(/^Tasting/).press('Alt+ArrowLeft');
    await waitForNotice('“Tasting” moved to Tuesday 12 January, 12:00 – 13:00.');
    await demo.ask(
      alice,
      'mutation ($id: String!) { patchEvent(calendarId: "primary", eventId: $id, event: { location: "Cellar" }) { id } }',
      { id },
    );
    await pressButton(page, 'Undo');
    await waitForNotice('“Tasting” was not moved back: it was changed since then.');
    expect(await readEvent('Tasting')).toMatchObject({ start: { dateTime: '2027-01-12T12:00:00+01:00' } });
  });

  test('a deletion is not undone if somebody else restored and changed the event', async () => {
    const id = await insertEvent({ summary: 'Lecture', ...hoursOnWednesday('12:00', '13:00') });
    await openView();
    await eventButton(/^Lecture/).press('Delete');
    await waitForNotice('“Lecture” was deleted.');
    await demo.ask(
      alice,
      `mutation ($id: String!) {
        patchEvent(calendarId: "primary", eventId: $id, event: { status: tentative, location: "Hall" }) { id } }`,
      { id },
    );
    await pressButton(page, 'Undo');
    await waitForNotice('“Lecture” was not restored: it was changed since then.');
    expect(await readEvent('Lecture')).toMatchObject({ status: 'tentative' });
  });

  test('a series is not deleted if somebody else changed it since it was read', async () => {
    const id = await insertEvent({
      summary: 'Seminar',
      ...hoursOnWednesday('14:00', '15:00'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    // The stream ends quietly, so that the page misses the change.
    await page.route('**/graphql/stream', (route) => route.fulfill({ status: 204 }));
    await page.goto(`${demo.address}/demo?view=week&date=${wednesday}`);
    await eventButton(/^Seminar/).waitFor();
    await demo.ask(
      alice,
      'mutation ($id: String!) { patchEvent(calendarId: "primary", eventId: $id, event: { location: "Hall" }) { id } }',
      { id },
    );
    await eventButton(/^Seminar/).press('Delete');
    await chooseScope(page, 'All events', 'Delete');
    await waitForNotice(
      '“Seminar” was not deleted. It has changed meanwhile. Please check it and try again.',
    );
    expect(await readEvent('Seminar')).toMatchObject({ status: 'confirmed' });
  });

  test('the move of a whole series can be undone, that of its later part cannot', async () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=4'];
    await insertEvent({ summary: 'Swim', ...hoursOnWednesday('06:00', '06:30'), recurrence });
    await openView();
    await eventButton(/^Swim Thursday/).press('Alt+ArrowDown');
    await chooseScope(page, 'All events', 'Change');
    await waitForNotice('All events of “Swim” moved.');
    await eventButton(/^Swim Friday 15 January, 06:15 – 06:45/).waitFor();
    await pressButton(page, 'Undo');
    for (const date of ['Wednesday 13', 'Thursday 14', 'Friday 15'])
      await eventButton(new RegExp(`^Swim ${date} January, 06:00 – 06:30`)).waitFor();
    await eventButton(/^Swim Thursday/).press('Alt+ArrowDown');
    await chooseScope(page, 'This event', 'Change');
    await waitForNotice('“Swim” moved to Thursday 14 January, 06:15 – 06:45.');
    await pressButton(page, 'Undo');
    await eventButton(/^Swim Thursday 14 January, 06:00 – 06:30/).waitFor();
    await eventButton(/^Swim Friday/).press('Alt+ArrowDown');
    await chooseScope(page, 'This and following events', 'Change');
    await waitForNotice('“Swim” and all later events moved.');
    expect(await page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
  });

  test('moves of different instances are undone in any order, and a move of the series says what stayed', async () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=4'];
    await insertEvent({ summary: 'Dance', ...hoursOnWednesday('07:00', '07:30'), recurrence });
    await openView();
    const undoButtons = page.getByRole('button', { name: 'Undo', exact: true });
    for (const day of ['Thursday 14', 'Friday 15']) {
      await eventButton(new RegExp(`^Dance ${day}`)).press('Alt+ArrowDown');
      await chooseScope(page, 'This event', 'Change');
      await waitForNotice(`“Dance” moved to ${day} January, 07:15 – 07:45.`);
    }
    expect(await undoButtons.count()).toBe(2);
    await undoButtons.first().click();
    await waitForNotice('The move of “Dance” was undone.');
    await eventButton(/^Dance Thursday 14 January, 07:00 – 07:30/).waitFor();
    await eventButton(/^Dance Friday 15 January, 07:15 – 07:45/).waitFor();

    await eventButton(/^Dance Wednesday/).press('Alt+ArrowUp');
    await chooseScope(page, 'All events', 'Change');
    await waitForNotice('All events of “Dance” moved. Events that were moved individually stayed.');
    await eventButton(/^Dance Thursday 14 January, 06:45 – 07:15/).waitFor();
    await eventButton(/^Dance Friday 15 January, 07:15 – 07:45/).waitFor();
    // The move of the instance cannot be undone any more, that of the series can.
    expect(await undoButtons.count()).toBe(1);
    await undoButtons.click();
    await eventButton(/^Dance Thursday 14 January, 07:00 – 07:30/).waitFor();
  });

  test('a change in the form can be undone if that restores everything and nobody else changed the event', async () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
    const id = await insertEvent({ summary: 'Fencing', ...hoursOnWednesday('15:00', '16:00') });
    await insertEvent({ summary: 'Yoga', ...hoursOnWednesday('18:00', '19:00'), recurrence });
    await openView();
    const undoButton = page.getByRole('button', { name: 'Undo', exact: true });
    const changeInForm = async (
      event: Locator,
      fillForm: () => Promise<unknown>,
      scope?: string,
    ): Promise<void> => {
      await openEditor(event);
      await fillForm();
      await pressSave(page);
      if (scope) await chooseScope(page, scope, 'Change');
      await waitForClosed(page);
    };
    const originalEvent = await readEvent('Fencing');
    await changeInForm(eventButton(/^Fencing/), async () => {
      await page.getByLabel('Title').fill('Sabre');
      await page.getByLabel('Start time').fill('16:00');
      await page.getByLabel('Colour', { exact: true }).selectOption('Tomato');
      await page.getByLabel('Use calendar default').uncheck();
    });
    await eventButton(/^Sabre Wednesday 13 January, 16:00 – 17:00/).waitFor();
    await undoButton.click();
    await waitForNotice('“Sabre” is called “Fencing” again.');
    await page.locator('[data-event]:focus', { hasText: 'Fencing' }).waitFor();
    expect(await readEvent('Fencing')).toEqual(originalEvent);

    // Only the latest change is offered: an earlier one could not be undone after it.
    await changeInForm(eventButton(/^Fencing/), () => page.getByLabel('Place').fill('Attic'));
    await changeInForm(eventButton(/^Fencing/), () => page.getByLabel('Place').fill('Gym'));
    expect(await undoButton.count()).toBe(1);
    await demo.ask(
      alice,
      'mutation ($id: String!) { patchEvent(calendarId: "primary", eventId: $id, event: { location: "Hall" }) { id } }',
      { id },
    );
    await undoButton.click();
    await waitForNotice('“Fencing” was not changed back: it was changed since then.');

    await changeInForm(
      eventButton(/^Yoga Thursday/),
      () => page.getByLabel('Title').fill('Pilates'),
      'All events',
    );
    await waitForNotice('“Pilates” was saved.');
    expect(await undoButton.count()).toBe(0);
    await changeInForm(eventButton(/^Fencing/), async () => {
      await pressButton(page, 'Add a guest');
      await page.getByLabel('E-mail of guest 1').fill('bob@example.com');
    });
    await waitForNotice('“Fencing” was saved.');
    expect(await undoButton.count()).toBe(0);
  });

  test('a guest responds to an event, edits and deletes their copy; a series is not divided', async () => {
    const attendees = [{ email: alice }];
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=2'];
    await insertEvent(
      { summary: 'Choir', ...hoursOnWednesday('19:00', '20:00'), attendees, recurrence },
      'bob@example.com',
    );
    await openView();
    await eventButton(/^Choir Wednesday/).click();
    await page.getByText('bob@example.com invites you.').waitFor();
    await pressButton(page, 'Edit');
    await page.getByLabel('Colour', { exact: true }).selectOption('Basil');
    await pressSave(page);
    await chooseScope(page, 'All events', 'Change');
    await waitForClosed(page);
    await eventButton(/^Choir Wednesday/).click();
    await pressButton(page, 'Delete');
    expect(await page.getByRole('radio').count()).toBe(2);
    await chooseScope(page, 'This event', 'Delete');
    await eventButton(/^Choir Wednesday/).waitFor({ state: 'detached' });
    await eventButton(/^Choir Thursday/).waitFor();
  });

  test('a reader cannot respond, edit or delete, but may duplicate the event onto an own calendar', async () => {
    await demo.ask(
      'bob@example.com',
      'mutation { setCalendarAccess(calendarId: "primary", email: "alice@example.com", role: reader) { role } }',
    );
    const attendees = [{ email: 'bob@example.com' }];
    await insertEvent(
      { summary: 'Workshop', ...hoursOnWednesday('13:00', '14:00'), attendees },
      'carol@example.com',
    );
    await openView();
    await eventButton(/^Workshop/).click();
    const dialog = page.getByRole('dialog', { name: 'Workshop' });
    await dialog.waitFor();
    expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['', 'Duplicate']);
    expect(await findViolations(page)).toEqual([]);
    await pressButton(page, 'Duplicate');
    await page.getByLabel('Title').fill('Workshop of mine');
    await pressSave(page);
    await waitForClosed(page);
    await waitForNotice('“Workshop of mine” was created.');
    await eventButton(/^Workshop of mine Wednesday 13 January, 13:00 – 14:00/).waitFor();
  });

  test('a meeting that several shown calendars have appears once, on the first of them', async () => {
    const bob = 'bob@example.com';
    await insertEvent({
      summary: 'Summit',
      ...hoursOnWednesday('20:00', '21:00'),
      attendees: [{ email: bob }],
    });
    await insertEvent({ summary: 'Run', ...hoursOnWednesday('22:00', '23:00') }, bob);
    const events = eventButtons(/^(Summit|Busy) Wednesday 13 January, 20:00/);
    for (const [role, title] of [
      ['freeBusyReader', 'Busy'],
      ['reader', 'Run'],
    ]) {
      await demo.ask(
        bob,
        `mutation { setCalendarAccess(calendarId: "primary", email: "${alice}", role: ${role}) { role } }`,
      );
      await openView();
      await eventButton(new RegExp(`^${title} Wednesday 13 January, 22:00`)).waitFor();
      expect(await events.locator('.event-title').allInnerTexts()).toEqual(['Summit']);
    }
    // The own copy can be changed; that of the other calendar takes its place when the own calendar is hidden.
    await eventButton(/^Summit/).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    const ownCalendar = page.getByRole('checkbox', { name: alice });
    await ownCalendar.uncheck();
    await eventButton(/^Summit/).click();
    await page.getByRole('dialog', { name: 'Summit' }).waitFor();
    expect(await page.getByRole('button', { name: 'Edit', exact: true }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await ownCalendar.check();
    // A meeting that another person organizes can be changed on that person's calendar only.
    await insertEvent(
      { summary: 'Retreat', ...hoursOnWednesday('21:00', '22:00'), attendees: [{ email: alice }] },
      bob,
    );
    await demo.ask(
      bob,
      `mutation { setCalendarAccess(calendarId: "primary", email: "${alice}", role: writer) { role } }`,
    );
    await openView();
    await eventButtons(/^Retreat Wednesday 13 January, 21:00/)
      .nth(1)
      .waitFor();
    expect(await eventButtons(/^Summit/).count()).toBe(1);
  });
});
