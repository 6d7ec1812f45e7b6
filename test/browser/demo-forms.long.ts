import type { Page } from 'playwright-core';
import { describeInChromium } from './chromium.ts';
import {
  dateInThisWeek,
  eventNamed,
  pressButton,
  refuseRequests,
  spokenDay,
  useWindows,
} from './demo-windows.harness.ts';
import {
  openEditor,
  findViolations,
  chooseScope,
  waitForClosed,
  waitForLive,
  startDemo,
} from './demo.harness.ts';

const insertMutation =
  'mutation ($event: EventInput!) { insertEvent(calendarId: "primary", event: $event) { id } }';

describeInChromium('forms of the demo page', () => {
  let page: Page;
  const demo = useWindows(({ here }) => (page = here.page));
  const readValue = (label: string): Promise<string> => page.getByLabel(label, { exact: true }).inputValue();
  const isFocused = (label: string): Promise<boolean> =>
    page
      .getByLabel(label, { exact: true })
      .evaluate((element) => element === element.ownerDocument.activeElement);

  test('without a mail server, the page never says that guests are notified', async () => {
    await openEditor(eventNamed(page, 'Team meeting'));
    await page.getByText('Guests are not notified: this gateway sends no mail.').waitFor();
    expect(await page.getByLabel('Notify guests by mail').count()).toBe(0);
    await page.getByLabel('Title').fill('Team meeting with cake');
    await pressButton(page, 'Save');
    await waitForClosed(page);
    const notices = page.getByRole('status', { name: 'Notices' });
    await notices.getByText('was saved.').waitFor();
    expect(await notices.innerText()).not.toMatch(/notified/);
  });

  test('the end follows the start, over days, and while a date is typed', async () => {
    await pressButton(page, 'New event');
    await page.getByLabel('Start date').fill('2026-05-04');
    await page.getByLabel('Start time').fill('10:00');
    await page.getByLabel('End time').fill('11:30');
    await page.getByLabel('Start time').fill('23:00');
    expect([await readValue('End date'), await readValue('End time')]).toEqual(['2026-05-05', '00:30']);
    await page.getByLabel('Start date').fill('');
    await page.getByLabel('Start date').fill('2026-05-14');
    expect([await readValue('End date'), await readValue('End time')]).toEqual(['2026-05-15', '00:30']);
    await page.getByLabel('All day').check();
    await page.getByLabel('Start date').fill('2026-06-01');
    expect(await readValue('End date')).toBe('2026-06-02');
  });

  test('errors are at the control to change, in the terms of the form', async () => {
    await pressButton(page, 'New event');
    await page.getByLabel('Start date').fill('2026-05-04');
    await page.getByLabel('Start time').fill('10:00');
    await page.getByLabel('End date').fill('2026-05-04');
    await page.getByLabel('End time').fill('09:00');
    // An end before the start does not move with the start.
    await page.getByLabel('Start time').fill('11:00');
    expect(await readValue('End time')).toBe('09:00');
    await pressButton(page, 'Add a guest');
    await page.getByLabel('E-mail of guest 1').fill('bob');
    await pressButton(page, 'Create');
    await page.getByText('Not saved. Please fix 2 fields.').waitFor();
    await page.getByText('“bob” is not an e-mail address.').waitFor();
    await page.getByText('The end must be after the start.').waitFor();
    expect(await isFocused('End time')).toBe(true);
    expect(await page.locator('[aria-invalid]').count()).toBe(2);
    await pressButton(page, 'Remove guest bob');

    await page.getByLabel('All day').check();
    await page.getByLabel('End date').fill('2026-05-03');
    await pressButton(page, 'Create');
    await page.getByText('The last day must not be before the first.').waitFor();
    expect(await isFocused('End date')).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('End date').fill('2026-05-04');
    await pressButton(page, 'Create');
    await waitForClosed(page);
  });

  test('an error goes away when its field changes, whether the form or the gateway found it', async () => {
    await pressButton(page, 'New event');
    const countErrors = (): Promise<number> => page.locator('[aria-invalid]').count();
    await page.getByLabel('End date').fill('2020-05-04');
    for (const number of [1, 2]) {
      await pressButton(page, 'Add a guest');
      await page.getByLabel(`E-mail of guest ${number}`).fill('bob');
    }
    await pressButton(page, 'Create');
    await page.getByText('Not saved. Please fix 3 fields.').waitFor();
    await page.getByLabel('E-mail of guest 2').fill('bob@example.com');
    await page.getByText('Not saved. Please fix 2 fields.').waitFor();
    expect([await countErrors(), await isFocused('E-mail of guest 2')]).toEqual([2, true]);
    await pressButton(page, 'Remove guest bob');
    await page.getByLabel('Start date').fill('2020-05-03');
    expect(await countErrors()).toBe(0);
    await page.getByLabel('Use calendar default').uncheck();
    await pressButton(page, 'Add a reminder');
    await page.getByLabel('Minutes before, reminder 1').fill('40321');
    await pressButton(page, 'Create');
    await page.getByText('This must be a whole number from 0 to 40320.').waitFor();
    await page.getByLabel('Minutes before, reminder 1').fill('5');
    expect([await countErrors(), await page.getByText('Please fix').count()]).toEqual([0, 0]);
  });

  test('an error stays at its guest or reminder when a row above is removed', async () => {
    await pressButton(page, 'New event');
    await page.getByLabel('Use calendar default').uncheck();
    for (const [index, address] of ['bob', 'carol'].entries()) {
      await pressButton(page, 'Add a guest');
      await page.getByLabel(`E-mail of guest ${index + 1}`).fill(address);
      await pressButton(page, 'Add a reminder');
      await page.getByLabel(`Minutes before, reminder ${index + 1}`).fill(index === 0 ? '' : '40321');
    }
    await pressButton(page, 'Create');
    await page.getByText('Not saved. Please fix 3 fields.').waitFor();
    await pressButton(page, 'Remove guest bob');
    await page.getByText('“carol” is not an e-mail address.').waitFor();
    await page.getByText('Not saved. Please fix 2 fields.').waitFor();
    // The gateway checks the range of minutes.
    await page.getByLabel('E-mail of guest 1').fill('carol@example.com');
    await page.getByLabel('Minutes before, reminder 1').fill('5');
    await pressButton(page, 'Create');
    await page.getByText('This must be a whole number from 0 to 40320.').waitFor();
    await pressButton(page, 'Remove reminder 1');
    const minutes = page.getByLabel('Minutes before, reminder 1');
    expect([await minutes.inputValue(), await minutes.getAttribute('aria-invalid')]).toEqual([
      '40321',
      'true',
    ]);
    expect(await page.getByText('Please fix').innerText()).toBe('Not saved. Please fix 1 field.');
  });

  test('errors of the rule, the times, the guests and the reminders are reported at once', async () => {
    await pressButton(page, 'New event');
    await page.getByLabel('Repeats').selectOption('Daily');
    await page.getByLabel('Every (days)').fill('0');
    await page.getByLabel('Ends').selectOption('On a date');
    await page.getByLabel('Last day').fill('2020-01-01');
    await pressButton(page, 'Add a guest');
    await page.getByLabel('E-mail of guest 1').fill('not an address');
    await pressButton(page, 'Create');
    await page.getByText('Not saved. Please fix 3 fields.').waitFor();
    await page.getByText('“not an address” is not an e-mail address.').waitFor();
    await page.getByLabel('End time').fill('00:00');
    await page.getByLabel('Use calendar default').uncheck();
    await pressButton(page, 'Add a reminder');
    await page.getByLabel('Minutes before, reminder 1').fill('-1');
    await pressButton(page, 'Create');
    await page.getByText('Not saved. Please fix 5 fields.').waitFor();
    await page.getByText('The end must be after the start.').waitFor();
  });

  test('a weekly rule needs a day, and the form says if a series also takes place on its start', async () => {
    await pressButton(page, 'New event');
    await page.getByLabel('Title').fill('Band');
    for (const label of ['Start date', 'End date']) await page.getByLabel(label).fill(dateInThisWeek(3));
    await page.getByLabel('Repeats').selectOption('Weekly on chosen days');
    await page.getByText('Weekly on Thursday', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Thu' }).uncheck();
    await pressButton(page, 'Create');
    await page.getByText('Not saved. Please fix 1 field.').waitFor();
    await page.getByText('Choose at least one day.').waitFor();
    expect(await page.locator('[aria-invalid]:focus').count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('checkbox', { name: 'Fri' }).check();
    await page
      .getByText(`Weekly on Friday. Also takes place on its start, ${spokenDay(3)}.`, { exact: true })
      .waitFor();
    await pressButton(page, 'Create');
    await waitForClosed(page);
    for (const daysAfterMonday of [3, 4]) await eventNamed(page, 'Band', daysAfterMonday).waitFor();
  });

  test('Escape, the cross, Cancel and a click outside ask before input is lost; without input they close', async () => {
    const waysToClose = [
      () => page.keyboard.press('Escape'),
      () => pressButton(page, 'Close'),
      () => pressButton(page, 'Cancel'),
      () => page.mouse.click(5, 400),
    ];
    for (const close of waysToClose) {
      await openEditor(eventNamed(page, 'Design review'));
      await page.getByLabel('Title').waitFor();
      await close();
      await waitForClosed(page);

      await openEditor(eventNamed(page, 'Design review'));
      await page.getByLabel('Place').fill('Room 12');
      await close();
      await page.getByRole('heading', { name: 'Discard your changes?' }).waitFor();
      expect(await findViolations(page)).toEqual([]);
      await pressButton(page, 'Keep editing');
      expect(await readValue('Place')).toBe('Room 12');
      // A browser closes a dialog by itself at the second request in a row.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await pressButton(page, 'Discard');
      await waitForClosed(page);
    }
  });

  test('input survives the end of a session, until it is saved or discarded', async () => {
    await openEditor(eventNamed(page, 'Design review'));
    await page.getByLabel('Place').fill('Room 12');
    await refuseRequests(page, 401, 'UNAUTHENTICATED', 'A message for programmers.');
    await pressButton(page, 'Save');
    await page.getByRole('dialog').getByText('Your input is kept.').waitFor();
    await page.unrouteAll();
    await page.getByRole('dialog').getByRole('button', { name: 'Open again' }).click();
    await page.getByText('These are your unsaved changes').waitFor();
    expect([await readValue('Title'), await readValue('Place')]).toEqual(['Design review', 'Room 12']);
    await pressButton(page, 'Save');
    await waitForClosed(page);
    await page.reload();
    await waitForLive(page);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(demo.takeFaults().filter((fault) => !/401/.test(fault))).toEqual([]);
  });

  test('a new event is proposed for the next free hour', async () => {
    await page.clock.install({ time: new Date(`${dateInThisWeek(1)}T08:20:00+01:00`) });
    await page.reload();
    await pressButton(page, 'New event');
    const firstStartTime = await readValue('Start time');
    await page.getByLabel('Title').fill('First');
    await pressButton(page, 'Create');
    await waitForClosed(page);
    await eventNamed(page, 'First').waitFor();
    await pressButton(page, 'New event');
    expect((await readValue('Start time')) > firstStartTime).toBe(true);
    expect([await readValue('Start date'), /^\d\d:00$/.test(await readValue('Start time'))]).toEqual([
      dateInThisWeek(1),
      true,
    ]);
  });

  test('the page shows the day of an event that is created or moved beyond the visible days', async () => {
    const showsDay = (date: string): Promise<void> => page.locator(`[data-date="${date}"]`).first().waitFor();
    await pressButton(page, 'New event');
    await page.getByLabel('Title').fill('Audit');
    await page.getByLabel('Start date').fill('2031-05-14');
    await pressButton(page, 'Create');
    await showsDay('2031-05-14');
    await openEditor(eventNamed(page, 'Audit'));
    await page.getByLabel('Start date').fill('2031-07-02');
    await pressButton(page, 'Save');
    await showsDay('2031-07-02');
    await eventNamed(page, 'Audit').waitFor();
  });

  test('a rule is chosen, shown in words, and changed', async () => {
    await pressButton(page, 'New event');
    await page.getByLabel('Title').fill('Course');
    for (const label of ['Start date', 'End date']) await page.getByLabel(label).fill(dateInThisWeek(0));
    await page.getByLabel('Start time').fill('18:00');
    await page.getByLabel('End time').fill('19:00');
    await page.getByLabel('Repeats').selectOption('Weekly on chosen days');
    await page.getByRole('checkbox', { name: 'Wed' }).check();
    await page.getByLabel('Every (weeks)').fill('0');
    await page.getByLabel('Ends').selectOption('After n times');
    await page.getByLabel('Times', { exact: true }).fill('4');
    await pressButton(page, 'Create');
    await page.getByText('This must be a whole number, at least 1.').waitFor();
    expect(await isFocused('Every (weeks)')).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('Every (weeks)').fill('1');
    await page.getByText('Weekly on Monday and Wednesday, 4 times').waitFor();
    await pressButton(page, 'Create');
    await waitForClosed(page);

    await openEditor(eventNamed(page, 'Course', 2));
    await page.getByText('Weekly on Monday and Wednesday, 4 times').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Mon' }).isChecked()).toBe(true);
    await page.getByLabel('Ends').selectOption('On a date');
    await page.getByLabel('Last day').fill('2040-01-02');
    await pressButton(page, 'Save');
    await chooseScope(page, 'All events', 'Change');
    await waitForClosed(page);
    const { events } = await demo.ask(
      'alice@example.com',
      '{ events(calendarId: "primary", q: "Course") { nodes { recurrence } } }',
    );
    expect(events).toEqual({
      nodes: [{ recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20400102T225959Z'] }],
    });
    expect(await page.getByText('normalized').count()).toBe(0);
  });

  test('each kind of rule is described in words while it is chosen, and stored', async () => {
    await pressButton(page, 'New event');
    await page.getByLabel('Title').fill('Rent');
    await page.getByLabel('All day').check();
    for (const label of ['Start date', 'End date']) await page.getByLabel(label).fill('2027-05-03');
    for (const [option, words] of [
      ['Daily', 'Daily'],
      ['Weekly on weekdays', 'Weekly on weekdays'],
      ['Monthly on day 3', 'Monthly on day 3'],
      ['Monthly on the first Monday', 'Monthly on the first Monday'],
      ['Yearly', 'Yearly on 3 May'],
    ] as const) {
      await page.getByLabel('Repeats').selectOption(option);
      await page.locator('.hint').getByText(words, { exact: true }).waitFor();
    }
    await page.getByLabel('Repeats').selectOption('Weekly on weekdays');
    await page.getByLabel('Ends').selectOption('On a date');
    await page.getByLabel('Last day').fill('2027-05-07');
    await page.getByText('Weekly on weekdays, until 7 May').waitFor();
    await page.getByLabel('Repeats').selectOption('Monthly on the first Monday');
    await pressButton(page, 'Create');
    await waitForClosed(page);
    const { events } = await demo.ask(
      'alice@example.com',
      '{ events(calendarId: "primary", q: "Rent") { nodes { recurrence } } }',
    );
    expect(events).toEqual({ nodes: [{ recurrence: ['RRULE:FREQ=MONTHLY;BYDAY=1MO;UNTIL=20270507'] }] });
  });

  test('known guests are suggested, and the form says who has time', async () => {
    const timeOnWednesday = (time: string) => ({
      dateTime: `${dateInThisWeek(2)}T${time}:00`,
      timeZone: 'Europe/Berlin',
    });
    await demo.ask('bob@example.com', insertMutation, {
      event: { summary: 'Swim', start: timeOnWednesday('05:00'), end: timeOnWednesday('06:00') },
    });
    await pressButton(page, 'New event');
    for (const label of ['Start date', 'End date']) await page.getByLabel(label).fill(dateInThisWeek(2));
    await page.getByLabel('Start time').fill('05:30');
    await page.getByLabel('End time').fill('06:30');
    const guestGroup = page.getByRole('group', { name: 'Guests' });
    await guestGroup.getByText('Shows which guests are free at this time.').waitFor();
    await pressButton(page, 'Add a guest');
    await page.locator('datalist option[value="bob@example.com"]').waitFor({ state: 'attached' });
    await page.getByLabel('E-mail of guest 1').fill('bob@example.com');
    await pressButton(page, 'Add a guest');
    await page.getByLabel('E-mail of guest 2').fill('carol@elsewhere.example');
    const guests = guestGroup.getByRole('list', { name: 'Guests at this time' });
    await guests.getByText('bob@example.com: busy').waitFor();
    await guests.getByText('carol@elsewhere.example: unknown').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('Start time').fill('03:30');
    await guests.getByText('bob@example.com: free').waitFor();
    await page.getByLabel('Repeats').selectOption('Daily');
    await guestGroup.getByText('At the first event:').waitFor();
    await page.getByLabel('Repeats').selectOption('Does not repeat');
    await guestGroup.getByText('At the first event:').waitFor({ state: 'detached' });
    await page.getByLabel('Title').fill('Early bird');
    await pressButton(page, 'Create');
    await waitForClosed(page);
    // The event itself does not make its guests busy.
    await openEditor(eventNamed(page, 'Early bird'));
    await guests.getByText('carol@elsewhere.example').waitFor({ state: 'detached' });
    await page.getByLabel('End time').fill('05:15');
    await guests.getByText('bob@example.com: busy').waitFor();
  });

  test('a rule that the form cannot express stays, and is shown in words', async () => {
    const timeOnThursday = (time: string) => ({
      dateTime: `${dateInThisWeek(3)}T${time}:00`,
      timeZone: 'Europe/Berlin',
    });
    const recurrence = ['RRULE:FREQ=YEARLY;BYMONTH=1,7;BYDAY=-1FR'];
    const event = {
      summary: 'Audit',
      start: timeOnThursday('06:00'),
      end: timeOnThursday('06:30'),
      recurrence,
    };
    await demo.ask('alice@example.com', insertMutation, { event });
    await openEditor(eventNamed(page, 'Audit', 3));
    await page.getByRole('option', { name: 'Yearly on the last Friday in January and July' }).waitFor({
      state: 'attached',
    });
    await page.getByLabel('Title').fill('Audit II');
    await pressButton(page, 'Save');
    await chooseScope(page, 'All events', 'Change');
    await waitForClosed(page);
    const { events } = await demo.ask(
      'alice@example.com',
      '{ events(calendarId: "primary", q: "Audit II") { nodes { recurrence } } }',
    );
    expect(events).toEqual({ nodes: [{ recurrence }] });
  });
});

describeInChromium('forms of the demo page, with a mail server', () => {
  test('the number of guests who get mail is named', async () => {
    const demo = await startDemo(undefined, {
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'calendar@example.com',
    });
    const { page, faults } = await demo.browser.visit(`${demo.address}/demo`);
    await waitForLive(page);
    await openEditor(eventNamed(page, 'Team meeting'));
    await page.getByLabel('Title').fill('Team meeting with cake');
    await page.getByLabel('Notify guests by mail').check();
    await pressButton(page, 'Save');
    await waitForClosed(page);
    await page.getByText(/^Done: [12345] guests? will be notified by mail\.$/).waitFor();
    expect(faults).toEqual([]);
    await demo.stop();
  });
});

describeInChromium('forms of the demo page, for a reader in another region', () => {
  test.each([
    ['en-US', 'Sun', /, \w+ \d+, 10:00 AM/],
    ['de-DE', 'Mon', /, 10:00 – 11:00/],
  ])('%s: clock, week and dates are those of the region', async (locale, firstWeekday, timesPattern) => {
    const demo = await startDemo();
    // On a Sunday, a week of the United States begins after the demo's events.
    const { event } = await demo.ask<{ event: { start: { dateTime: string } } }>(
      'alice@example.com',
      '{ event(calendarId: "primary", eventId: "teammeeting") { start { dateTime } } }',
    );
    const date = event.start.dateTime.slice(0, 10);
    const { page, faults } = await demo.browser.visit(`${demo.address}/demo?date=${date}`, locale);
    await waitForLive(page);
    expect(await page.locator('.grid [data-date]').first().innerText()).toContain(firstWeekday);
    expect(await eventNamed(page, 'Team meeting').innerText()).toMatch(timesPattern);
    await pressButton(page, 'New event');
    await page.getByLabel('Repeats').selectOption('Weekly on chosen days');
    expect(await page.locator('dialog fieldset .check').nth(1).innerText()).toBe(firstWeekday);
    expect(faults).toEqual([]);
    await demo.stop();
  });
});
