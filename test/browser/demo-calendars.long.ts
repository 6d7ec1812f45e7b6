import type { Locator, Page } from 'playwright-core';
import { describeInChromium } from './chromium.ts';
import { eventNamed, loseAnswer, press, refuse, useWindows } from './demo-windows.harness.ts';
import { barriers, closed } from './demo.harness.ts';

const team = 'team@group.calendar.example.com';

describeInChromium('the calendars at the side of the demo page', () => {
  let page: Page;
  let there: Page;
  const demo = useWindows((windows) => {
    page = windows.here.page;
    there = windows.there.page;
  });

  const list = (window: Page, title: string): Locator =>
    window.getByRole('region', { name: title, exact: true });
  const named = (window: Page, name: string): Locator => window.getByRole('checkbox', { name, exact: true });
  const open = (window: Page, name: string): Promise<void> => press(window, `Settings of ${name}`);
  /** Another calendar of Alice's, in both windows; its id. */
  const made = async (summary: string): Promise<string> => {
    const { insertCalendar } = await demo.ask(
      'alice@example.com',
      'mutation ($summary: String!) { insertCalendar(calendar: { summary: $summary }) { id } }',
      { summary },
    );
    await demo.open();
    return (insertCalendar as { id: string }).id;
  };
  const accessOf = async (calendarId: string, as = 'alice@example.com'): Promise<unknown> =>
    (
      await demo.ask(as, 'query ($id: String!) { calendarAccess(calendarId: $id) { email role } }', {
        id: calendarId,
      })
    ).calendarAccess;

  test('own ones and others stand apart; which are hidden is remembered', async () => {
    expect(await list(page, 'My calendars').getByRole('checkbox').count()).toBeGreaterThan(1);
    expect(await list(page, 'Other calendars').getByRole('listitem').allInnerTexts()).toEqual([
      'bob@example.com',
    ]);
    await eventNamed(page, 'Retrospective').waitFor();
    await named(page, team).uncheck();
    await eventNamed(page, 'Retrospective').waitFor({ state: 'detached' });
    await page.reload();
    await eventNamed(page, 'Design review').waitFor();
    expect(await named(page, team).isChecked()).toBe(false);
    expect(await eventNamed(page, 'Retrospective').count()).toBe(0);
    await named(page, team).check();
    await eventNamed(page, 'Retrospective').waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  test('a new one: what is wrong stands at its field, and an answer that is lost makes no second one', async () => {
    await press(page, 'New calendar');
    const title = page.getByLabel('Title');
    expect(await title.evaluate((field) => field.matches(':focus'))).toBe(true);
    await page.getByLabel('Time zone').fill('Nowhere');
    await press(page, 'Create');
    await page.locator('[aria-invalid]').first().waitFor();
    expect([
      await title.getAttribute('aria-invalid'),
      await page.getByLabel('Time zone').getAttribute('aria-invalid'),
    ]).toEqual(['true', 'true']);
    expect(await title.evaluate((field) => field.matches(':focus'))).toBe(true);
    expect(await barriers(page)).toEqual([]);
    await title.fill('Choir');
    await page.getByLabel('Time zone').fill('Europe/Vienna');
    await page.getByRole('radio', { name: 'Pink' }).check();
    await loseAnswer(page, 'DemoInsertCalendar');
    await press(page, 'Create');
    await page.getByText('No answer came. It is safe to try again').waitFor();
    await press(page, 'Create');
    await closed(page);
    await named(page, 'Choir').waitFor();
    expect(await named(page, 'Choir').count()).toBe(1);
    const { calendars } = await demo.ask(
      'alice@example.com',
      '{ calendars { summary timeZone backgroundColor } }',
    );
    expect(calendars).toContainEqual({
      summary: 'Choir',
      timeZone: 'Europe/Vienna',
      backgroundColor: '#db2777',
    });
    demo.faults();
  });

  test('of two windows that change its settings the later one sees what is there by now, and saves on top of it', async () => {
    const id = await made('Garden');
    for (const window of [page, there]) await open(window, 'Garden');
    await there.getByLabel('Title').fill('Gardens');
    await there.getByLabel('Description').fill('Of us all');
    await press(there, 'Save');
    await closed(there);
    await page.getByLabel('Title').fill('The garden');
    await press(page, 'Save');
    await page.getByText('Somebody else changed this calendar meanwhile.').waitFor();
    await page.getByText('Of us all').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('The garden');
    await press(page, 'Save');
    await closed(page);
    await named(page, 'The garden').waitFor();
    const { calendar } = await demo.ask(
      'alice@example.com',
      'query ($id: String!) { calendar(calendarId: $id) { summary description } }',
      { id },
    );
    expect(calendar).toEqual({ summary: 'The garden', description: 'Of us all' });
  });

  test('it is shared by address and role, each change at once, and what is wrong stands at its field', async () => {
    const id = await made('Kitchen');
    await demo.ask(
      'alice@example.com',
      'mutation ($id: String!) { setCalendarAccess(calendarId: $id, email: "bob@example.com", role: writer) { role } }',
      { id },
    );
    await open(page, 'Kitchen');
    await page.getByLabel('Share with', { exact: true }).fill('nobody');
    await press(page, 'Share');
    await page.getByText('This is not an e-mail address').waitFor();
    expect(await page.getByLabel('Share with', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await barriers(page)).toEqual([]);
    await page.getByLabel('Share with', { exact: true }).fill('dana@example.com');
    await page.getByLabel('Role').selectOption('Changes events');
    await press(page, 'Share');
    await page.getByLabel('What dana@example.com may do').selectOption('Sees events');
    await press(page, 'Take bob@example.com off');
    await page.getByLabel('What bob@example.com may do').waitFor({ state: 'detached' });
    expect(await accessOf(id)).toEqual([
      { email: 'alice@example.com', role: 'owner' },
      { email: 'dana@example.com', role: 'reader' },
    ]);

    // Nothing is shown as stored that is not.
    await refuse(page, 503, 'UNAVAILABLE', 'A message for programmers.');
    await page.getByLabel('What dana@example.com may do').selectOption('Owns the calendar');
    await page.getByText('The gateway does not answer. Nothing was saved.').waitFor();
    expect(await page.getByLabel('What dana@example.com may do').inputValue()).toBe('reader');
    expect(demo.faults().every((fault) => fault.includes('503'))).toBe(true);
  });

  test('it is deleted after a question, the primary one never', async () => {
    await made('Errands');
    await open(page, 'Errands');
    await press(page, 'Delete');
    await page.getByText('goes with all its events, for everybody. This cannot be undone.').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await press(page, 'Delete');
    await press(page, 'Delete the calendar');
    await closed(page);
    await named(page, 'Errands').waitFor({ state: 'detached' });
    await open(page, 'alice@example.com');
    await page.getByText('Made it').waitFor();
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
  });

  test('on a phone they are a menu for the keyboard too, which Escape and a click beside it close', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await named(page, 'bob@example.com').isVisible()).toBe(false);
    const opener = page.getByRole('button', { name: 'Calendars', exact: true });
    await opener.focus();
    await page.keyboard.press('Enter');
    await named(page, 'bob@example.com').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await named(page, 'bob@example.com').waitFor({ state: 'hidden' });
    expect(await opener.evaluate((button) => button.matches(':focus'))).toBe(true);
    await page.keyboard.press('Enter');
    await page.mouse.click(200, 10);
    await named(page, 'bob@example.com').waitFor({ state: 'hidden' });
    await opener.click();
    await open(page, team);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('bob@example.com', { exact: true }).waitFor();
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.keyboard.press('Escape');
    expect(await opener.evaluate((button) => button.matches(':focus'))).toBe(true);
  });

  test('who does not own it sees name and role, and can leave it', async () => {
    await open(page, 'bob@example.com');
    await page.getByText('You see when it is busy, and nothing else.').waitFor();
    expect(await page.getByRole('dialog').getByRole('textbox').count()).toBe(0);
    await press(page, 'Leave this calendar');
    await press(page, 'Leave');
    await list(page, 'Other calendars').waitFor({ state: 'detached' });
    expect(await accessOf('bob@example.com', 'bob@example.com')).toEqual([
      { email: 'bob@example.com', role: 'owner' },
    ]);
  });
});
