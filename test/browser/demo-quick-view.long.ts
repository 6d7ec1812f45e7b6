import { describeInChromium } from './chromium.ts';
import {
  dateInThisWeek,
  eventNamed,
  pressButton,
  spokenDay,
  useWindows,
  type Windows,
} from './demo-windows.harness.ts';
import { findViolations, chooseScope, waitForClosed, eventOnDay } from './demo.harness.ts';

describeInChromium('the quick view of an event', () => {
  let windows: Windows;
  useWindows((startedWindows) => (windows = startedWindows));

  test.each(['light', 'dark'] as const)('Enter shows everything about an event (%s)', async (colorScheme) => {
    const { page } = windows.here;
    await page.emulateMedia({ colorScheme });
    await eventNamed(page, 'Team meeting').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Team meeting' });
    await dialog.waitFor();
    // A second Enter edits.
    await dialog.locator('button:focus', { hasText: 'Edit' }).waitFor();
    const rows = await dialog.getByRole('definition').allInnerTexts();
    expect(rows).toEqual([
      `${spokenDay(1)}, 10:00 – 11:00`,
      'Room 3',
      'alice@example.com',
      expect.stringMatching(/Bob\s+bob@example\.com · no answer yet[^]*carol@elsewhere\.example\s+maybe/),
      'What we did, what comes next.',
      expect.any(String),
      expect.stringMatching(/^\w+$/),
      'Europe/Berlin',
    ]);
    expect(await findViolations(page)).toEqual([]);
    await pressButton(page, 'Edit');
    expect(await page.getByLabel('Title').inputValue()).toBe('Team meeting');
    await page.keyboard.press('Escape');
    await waitForClosed(page);
    // The focus is where it was.
    await page.locator(`[data-date="${dateInThisWeek(1)}"] [data-event]:focus`).waitFor();
  });

  test('an instance asks how much of its series to delete, and a deletion can be undone', async () => {
    const { page } = windows.here;
    await eventOnDay(page, dateInThisWeek(2), /^Stand-up/).click();
    await pressButton(page, 'Delete');
    expect(await page.getByRole('radio').count()).toBe(3);
    await chooseScope(page, 'This event', 'Delete');
    await eventOnDay(page, dateInThisWeek(2), /^Stand-up/).waitFor({ state: 'detached' });
    await pressButton(page, 'Undo');
    await eventOnDay(page, dateInThisWeek(2), /^Stand-up/).waitFor();
  });

  test('a duplicate is a new event with the guests of the original except the caller', async () => {
    const { page } = windows.here;
    await eventNamed(page, 'Team meeting').click();
    await pressButton(page, 'Duplicate');
    await page.getByRole('heading', { name: 'New event' }).waitFor();
    expect(await page.getByLabel('E-mail of guest 1').inputValue()).toBe('bob@example.com');
    await page.getByLabel('Title').fill('Team meeting again');
    // At its own time, it would be one of four events beside each other, of which two are behind a button.
    await page.getByLabel('Start time').fill('16:00');
    await pressButton(page, 'Create');
    await waitForClosed(page);
    await page.getByText('“Team meeting again” was created.').waitFor();
    await eventNamed(page, 'Team meeting', 1, '10:00 – 11:00').waitFor();
    await eventNamed(page, 'Team meeting again', 1, '16:00 – 17:00').waitFor();
  });
});
