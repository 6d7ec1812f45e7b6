import type { Locator, Page } from 'playwright-core';
import { describeInChromium } from './chromium.ts';
import {
  eventNamed,
  loseNextResponse,
  pressButton,
  refuseRequests,
  useWindows,
} from './demo-windows.harness.ts';
import { findViolations, waitForClosed } from './demo.harness.ts';

const team = 'team@group.calendar.example.com';

describeInChromium('the calendar list of the demo page', () => {
  let page: Page;
  let otherPage: Page;
  const demo = useWindows((windows) => {
    page = windows.here.page;
    otherPage = windows.there.page;
  });

  const calendarList = (window: Page, title: string): Locator =>
    window.getByRole('region', { name: title, exact: true });
  const checkboxOf = (window: Page, name: string): Locator =>
    window.getByRole('checkbox', { name, exact: true });
  const openSettings = (window: Page, name: string): Promise<void> =>
    pressButton(window, `Settings of ${name}`);
  /** Creates a calendar of Alice's, shown in both windows, and returns its id. */
  const createCalendar = async (summary: string): Promise<string> => {
    const { insertCalendar } = await demo.ask(
      'alice@example.com',
      'mutation ($summary: String!) { insertCalendar(calendar: { summary: $summary }) { id } }',
      { summary },
    );
    await demo.open();
    return (insertCalendar as { id: string }).id;
  };
  const readAccess = async (calendarId: string, caller = 'alice@example.com'): Promise<unknown> =>
    (
      await demo.ask(caller, 'query ($id: String!) { calendarAccess(calendarId: $id) { email role } }', {
        id: calendarId,
      })
    ).calendarAccess;

  test('lists own and other calendars separately, and remembers hidden ones', async () => {
    expect(await calendarList(page, 'My calendars').getByRole('checkbox').count()).toBeGreaterThan(1);
    expect(await calendarList(page, 'Other calendars').getByRole('listitem').allInnerTexts()).toEqual([
      'bob@example.com',
    ]);
    await eventNamed(page, 'Retrospective').waitFor();
    await checkboxOf(page, team).uncheck();
    await eventNamed(page, 'Retrospective').waitFor({ state: 'detached' });
    await page.reload();
    await eventNamed(page, 'Design review').waitFor();
    expect(await checkboxOf(page, team).isChecked()).toBe(false);
    expect(await eventNamed(page, 'Retrospective').count()).toBe(0);
    await checkboxOf(page, team).check();
    await eventNamed(page, 'Retrospective').waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  test('creates a calendar, with errors at their fields, once even if the response is lost', async () => {
    await pressButton(page, 'New calendar');
    const titleField = page.getByLabel('Title');
    expect(await titleField.evaluate((field) => field.matches(':focus'))).toBe(true);
    await page.getByLabel('Time zone').fill('Nowhere');
    await pressButton(page, 'Create');
    await page.locator('[aria-invalid]').first().waitFor();
    expect([
      await titleField.getAttribute('aria-invalid'),
      await page.getByLabel('Time zone').getAttribute('aria-invalid'),
    ]).toEqual(['true', 'true']);
    expect(await titleField.evaluate((field) => field.matches(':focus'))).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    await titleField.fill('Choir');
    await page.getByLabel('Time zone').fill('Europe/Vienna');
    await page.getByRole('radio', { name: 'Pink' }).check();
    await loseNextResponse(page, 'DemoInsertCalendar');
    await pressButton(page, 'Create');
    await page.getByText('No answer came. It is safe to try again').waitFor();
    await pressButton(page, 'Create');
    await waitForClosed(page);
    await checkboxOf(page, 'Choir').waitFor();
    expect(await checkboxOf(page, 'Choir').count()).toBe(1);
    const { calendars } = await demo.ask(
      'alice@example.com',
      '{ calendars { summary timeZone backgroundColor } }',
    );
    expect(calendars).toContainEqual({
      summary: 'Choir',
      timeZone: 'Europe/Vienna',
      backgroundColor: '#db2777',
    });
    // The lost response is a fault of the page.
    demo.takeFaults();
  });

  test('changes settings in two windows: the later one sees the earlier changes and saves on top of them', async () => {
    const id = await createCalendar('Garden');
    for (const window of [page, otherPage]) await openSettings(window, 'Garden');
    await otherPage.getByLabel('Title').fill('Gardens');
    await otherPage.getByLabel('Description').fill('Of us all');
    await pressButton(otherPage, 'Save');
    await waitForClosed(otherPage);
    await page.getByLabel('Title').fill('The garden');
    await pressButton(page, 'Save');
    await page.getByText('Somebody else changed this calendar meanwhile.').waitFor();
    await page.getByText('Of us all').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('The garden');
    await pressButton(page, 'Save');
    await waitForClosed(page);
    await checkboxOf(page, 'The garden').waitFor();
    const { calendar } = await demo.ask(
      'alice@example.com',
      'query ($id: String!) { calendar(calendarId: $id) { summary description } }',
      { id },
    );
    expect(calendar).toEqual({ summary: 'The garden', description: 'Of us all' });
  });

  test('shares a calendar by address and role, says so, and keeps the focus; removed access can be given back', async () => {
    const id = await createCalendar('Kitchen');
    await demo.ask(
      'alice@example.com',
      'mutation ($id: String!) { setCalendarAccess(calendarId: $id, email: "bob@example.com", role: writer) { role } }',
      { id },
    );
    await openSettings(page, 'Kitchen');
    await page.getByRole('heading', { name: 'Settings of “Kitchen”' }).waitFor();
    const outcome = page.getByRole('dialog').getByRole('status');
    const expectFocus = async (label: string): Promise<void> =>
      expect(
        await page.getByLabel(label, { exact: true }).evaluate((control) => control.matches(':focus')),
      ).toBe(true);
    await page.getByLabel('Share with', { exact: true }).fill('nobody');
    await pressButton(page, 'Share');
    await page.getByText('This is not an e-mail address.', { exact: true }).waitFor();
    expect(await page.getByLabel('Share with', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('Share with', { exact: true }).fill('dana@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('Can edit events');
    await pressButton(page, 'Share');
    await outcome.getByText('Shared with dana@example.com: can edit events.').waitFor();
    expect(await page.getByLabel('Role', { exact: true }).inputValue()).toBe('reader');
    await expectFocus('Share with');
    await page.getByLabel('Role of dana@example.com').selectOption('Can see events');
    await outcome.getByText('Shared with dana@example.com: can see events.').waitFor();
    await pressButton(page, 'Remove bob@example.com');
    await page.getByLabel('Role of bob@example.com').waitFor({ state: 'detached' });
    await outcome.getByText('Access of bob@example.com removed.').waitFor();
    await expectFocus('Role of dana@example.com');
    expect(await readAccess(id)).toEqual([
      { email: 'alice@example.com', role: 'owner' },
      { email: 'dana@example.com', role: 'reader' },
    ]);

    await page.keyboard.press('Escape');
    await waitForClosed(page);
    await pressButton(page, 'Undo');
    const notices = page.getByRole('status', { name: 'Notices' });
    await notices.getByText('Shared with bob@example.com: can edit events.').waitFor();
    expect(await readAccess(id)).toContainEqual({ email: 'bob@example.com', role: 'writer' });
    await openSettings(page, 'Kitchen');

    // A role that was not saved is not shown.
    await refuseRequests(page, 503, 'UNAVAILABLE', 'A message for programmers.');
    await page.getByLabel('Role of dana@example.com').selectOption('Owner');
    await page.getByText('The gateway does not answer. Nothing was saved.').waitFor();
    expect(await page.getByLabel('Role of dana@example.com').inputValue()).toBe('reader');
    expect(demo.takeFaults().every((fault) => fault.includes('503'))).toBe(true);
  });

  test('deletes a calendar after confirmation, but not the primary one', async () => {
    await createCalendar('Errands');
    await openSettings(page, 'Errands');
    await pressButton(page, 'Delete');
    await page
      .getByText('and all its events will be deleted for everybody. This cannot be undone.')
      .waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await pressButton(page, 'Delete');
    await pressButton(page, 'Delete the calendar');
    await waitForClosed(page);
    await checkboxOf(page, 'Errands').waitFor({ state: 'detached' });
    await openSettings(page, 'alice@example.com');
    await page.getByRole('listitem').locator('span', { hasText: 'Owner' }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
  });

  test('is a menu on a phone, also for the keyboard, and closes by Escape or a click outside', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await checkboxOf(page, 'bob@example.com').isVisible()).toBe(false);
    const menuButton = page.getByRole('button', { name: 'Calendars', exact: true });
    await menuButton.focus();
    await page.keyboard.press('Enter');
    await checkboxOf(page, 'bob@example.com').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await checkboxOf(page, 'bob@example.com').waitFor({ state: 'hidden' });
    expect(await menuButton.evaluate((button) => button.matches(':focus'))).toBe(true);
    await page.keyboard.press('Enter');
    await page.mouse.click(200, 10);
    await checkboxOf(page, 'bob@example.com').waitFor({ state: 'hidden' });
    await menuButton.click();
    await openSettings(page, team);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('bob@example.com', { exact: true }).waitFor();
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.keyboard.press('Escape');
    expect(await menuButton.evaluate((button) => button.matches(':focus'))).toBe(true);
  });

  test("shows name and role of another's calendar, and lets the caller leave it", async () => {
    await openSettings(page, 'bob@example.com');
    await page.getByText('You can see free/busy times only.').waitFor();
    expect(await page.getByRole('dialog').getByRole('textbox').count()).toBe(0);
    await pressButton(page, 'Leave this calendar');
    await pressButton(page, 'Leave');
    await calendarList(page, 'Other calendars').waitFor({ state: 'detached' });
    expect(await readAccess('bob@example.com', 'bob@example.com')).toEqual([
      { email: 'bob@example.com', role: 'owner' },
    ]);
  });

  test('creates, copies and resets the address of a calendar feed', async () => {
    await createCalendar('Feed');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await openSettings(page, 'Feed');
    await pressButton(page, 'Create address');
    const addressField = page.getByLabel('Secret address (iCalendar)');
    await addressField.waitFor();
    const firstAddress = await addressField.inputValue();
    expect(new URL(firstAddress).origin).toBe(new URL(page.url()).origin);
    await pressButton(page, 'Copy address');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(firstAddress);
    expect(await findViolations(page)).toEqual([]);
    await pressButton(page, 'Reset address');
    await pressButton(page, 'Reset');
    await page.getByRole('button', { name: 'Copy address' }).waitFor();
    const secondAddress = await addressField.inputValue();
    expect([(await fetch(firstAddress)).status, (await fetch(secondAddress)).status]).toEqual([404, 200]);
    expect(await (await fetch(secondAddress)).text()).toContain('X-WR-CALNAME:Feed');
  });
});
