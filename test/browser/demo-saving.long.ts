import type { Page } from 'playwright-core';
import { describeInChromium } from './chromium.ts';
import { dateInThisWeek, eventNamed, pressButton, useWindows } from './demo-windows.harness.ts';
import { findViolations, chooseScope, waitForClosed, openEditor, waitForLive } from './demo.harness.ts';

const insertMutation =
  'mutation ($event: EventInput!) { insertEvent(calendarId: "primary", event: $event) { id } }';
const inBerlin = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });

describeInChromium('saving in the editor of the demo page', () => {
  let page: Page;
  const demo = useWindows(({ here }) => (page = here.page));
  const expectOnlyResets = (): void =>
    expect(demo.takeFaults().filter((fault) => !fault.includes('ERR_CONNECTION_RESET'))).toEqual([]);

  const addEvent = (event: object): Promise<unknown> =>
    demo.ask('alice@example.com', insertMutation, { event });
  const readTimes = async (title: string): Promise<unknown> => {
    const { events } = await demo.ask(
      'alice@example.com',
      'query ($q: String!) { events(calendarId: "primary", q: $q) { nodes { start { dateTime } end { dateTime } } } }',
      { q: title },
    );
    return (events as { nodes: unknown[] }).nodes[0];
  };
  const expectErrorAt = async (label: string, words: string): Promise<void> => {
    const field = page.getByLabel(label, { exact: true });
    await page.locator('.field', { has: field }).getByText(words).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
  };
  /** Counts the mutations that the page sends during an action. */
  const countMutations = async (action: () => Promise<void>): Promise<number> => {
    let sentCount = 0;
    await page.route('**/graphql', (route) => {
      if (route.request().postData()?.includes('mutation')) sentCount += 1;
      return route.fallback();
    });
    await action();
    await page.unrouteAll();
    return sentCount;
  };

  test('stays open while saving, and reports a failure with the input kept', async () => {
    let failRequests = (): void => undefined;
    const failure = new Promise<void>((resolve) => (failRequests = resolve));
    await page.route('**/graphql', async (route) => {
      await failure;
      await route.abort('connectionreset');
    });
    await pressButton(page, 'New event');
    await page.getByLabel('Title').fill('Kept');
    await pressButton(page, 'Create');
    const dialog = page.getByRole('dialog');
    for (const _ of [1, 2, 3]) await page.keyboard.press('Escape');
    await pressButton(page, 'Close');
    await dialog.getByText('Saving…').waitFor();
    failRequests();
    await dialog.getByText('No answer came. It is safe to try again').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Kept');
    await page.keyboard.press('Escape');
    await pressButton(page, 'Discard');
    await waitForClosed(page);
    expectOnlyResets();
  });

  test('lets a failed Undo be tried again', async () => {
    await addEvent({
      summary: 'Errand',
      start: inBerlin(`${dateInThisWeek(2)}T07:00:00`),
      end: inBerlin(`${dateInThisWeek(2)}T07:30:00`),
    });
    await eventNamed(page, 'Errand').click();
    await pressButton(page, 'Delete');
    await eventNamed(page, 'Errand').waitFor({ state: 'detached' });
    await page.route('**/graphql', (route) => route.abort('connectionreset'));
    await pressButton(page, 'Undo');
    await page.getByText('“Errand” was not restored.').waitFor();
    await pressButton(page, 'Try again');
    await page.getByText('“Errand” was not restored.').waitFor();
    await page.unrouteAll();
    await pressButton(page, 'Try again');
    await eventNamed(page, 'Errand').waitFor();
    expectOnlyResets();
  });

  test('keeps the instant of an untouched time in the repeated hour of autumn', async () => {
    await addEvent({
      summary: 'Night',
      start: inBerlin('2026-10-25T02:00:00+01:00'),
      end: inBerlin('2026-10-25T02:30:00+01:00'),
    });
    for (const [field, time, expectedTimes] of [
      ['End time', '04:00', ['2026-10-25T02:00:00+01:00', '2026-10-25T04:00:00+01:00']],
      ['Start time', '01:30', ['2026-10-25T01:30:00+02:00', '2026-10-25T04:00:00+01:00']],
    ] as const) {
      await page.goto(`${demo.address}/demo?view=week&date=2026-10-25`);
      await waitForLive(page);
      await openEditor(eventNamed(page, 'Night'));
      await page.getByLabel(field).fill(time);
      // The end has followed the start, so it is set back to the time that was read.
      await page.getByLabel('End time').fill('04:00');
      await pressButton(page, 'Save');
      await waitForClosed(page);
      expect(await readTimes('Night')).toEqual({
        start: { dateTime: expectedTimes[0] },
        end: { dateTime: expectedTimes[1] },
      });
    }
  });

  test('reports invalid input at its field and sends nothing', async () => {
    await pressButton(page, 'New event');
    await page.getByLabel('Title').fill('Early');
    expect(
      await countMutations(async () => {
        for (const [label, validValue, words] of [
          ['Start date', dateInThisWeek(1), 'This needs a date.'],
          ['End date', dateInThisWeek(1), 'This needs a date.'],
          ['Start time', '09:00', 'This needs a time.'],
          ['End time', '10:00', 'This needs a time.'],
        ] as const) {
          await page.getByLabel(label).fill('');
          await pressButton(page, 'Create');
          await expectErrorAt(label, words);
          expect(await page.locator('[aria-invalid]').count()).toBe(1);
          await page.getByLabel(label).fill(validValue);
        }
        await pressButton(page, 'Add a guest');
        await pressButton(page, 'Create');
        await expectErrorAt('E-mail of guest 1', 'This needs an e-mail address.');
        await pressButton(page, 'Remove guest 1');
        for (const label of ['Start date', 'End date']) await page.getByLabel(label).fill('2026-03-29');
        for (const [label, time] of [
          ['Start time', '02:30'],
          ['End time', '04:00'],
        ] as const)
          await page.getByLabel(label).fill(time);
        await pressButton(page, 'Create');
        await expectErrorAt('Start time', 'There is no such time on that day: the clocks go forward.');
        expect(await findViolations(page)).toEqual([]);
      }),
    ).toBe(0);
    await page.getByLabel('Start time').fill('03:30');
    await page.getByLabel('End time').fill('04:00');
    await pressButton(page, 'Create');
    await waitForClosed(page);
    expect(await readTimes('Early')).toEqual({
      start: { dateTime: '2026-03-29T03:30:00+02:00' },
      end: { dateTime: '2026-03-29T04:00:00+02:00' },
    });
  });

  test('explains what a new time of a series does to changed instances', async () => {
    await addEvent({
      summary: 'Swim',
      start: inBerlin(`${dateInThisWeek(0)}T06:00:00`),
      end: inBerlin(`${dateInThisWeek(0)}T06:30:00`),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
    });
    await openEditor(eventNamed(page, 'Swim', 2));
    await page.getByLabel('Title').fill('Swim far');
    await pressButton(page, 'Save');
    await page.getByRole('radio', { name: 'All events' }).check();
    await page.getByText('Individually edited events keep their changes.').waitFor();
    await chooseScope(page, 'This event', 'Change');
    await waitForClosed(page);
    await eventNamed(page, 'Swim', 3).click();
    await pressButton(page, 'Delete');
    await chooseScope(page, 'This event', 'Delete');
    await eventNamed(page, 'Swim', 3).waitFor({ state: 'detached' });

    await openEditor(eventNamed(page, 'Swim', 1));
    await page.getByLabel('Start time').fill('05:30');
    await pressButton(page, 'Save');
    await page.getByRole('radio', { name: 'This and following events' }).check();
    await page.getByText('This event and all that follow get these times.').waitFor();
    await page.getByRole('radio', { name: 'All events' }).check();
    await page.getByText('All events move by the same difference.').waitFor();
    await page.getByText('other edited or deleted ones move along.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await chooseScope(page, 'All events', 'Change');
    await waitForClosed(page);
    for (const daysAfterMonday of [0, 1])
      await eventNamed(page, 'Swim', daysAfterMonday, '05:30 – 06:00').waitFor();
    await eventNamed(page, 'Swim far', 2, '05:30 – 06:00').waitFor();
    expect(await eventNamed(page, 'Swim', 3).count()).toBe(0);
  });
});
