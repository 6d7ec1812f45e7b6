import type { Page } from 'playwright-core';
import { demoUser } from '../../src/seed/demo-data.ts';
import { describeInChromium, type Visit } from './chromium.ts';
import {
  allDayDays,
  crowdedSeed,
  findCutOffTexts,
  movesDay,
  measureSidewaysScroll,
  team,
  doubleTextSize,
} from './demo-grid.harness.ts';
import { refuseRequests } from './demo-windows.harness.ts';
import {
  eventOnDay,
  findViolations,
  startDemo,
  waitForClosed,
  waitForLive,
  type Demo,
} from './demo.harness.ts';

describeInChromium('search, small month and shortcuts of the demo page', () => {
  let demo: Demo;
  let visit: Visit;
  let page: Page;
  const openView = async (query: string): Promise<void> => {
    await page.goto(`${demo.address}/demo${query}`);
    await waitForLive(page);
    await page.locator('.card[aria-busy=false]').waitFor();
  };
  const searchFor = async (words: string): Promise<void> => {
    // Filling in the same words again would change nothing.
    await page.getByRole('searchbox').fill('');
    await page.getByRole('searchbox').fill(words);
    await page.locator('.search-panel[aria-busy=false]').waitFor();
  };
  const readResults = (): Promise<string[]> =>
    page
      .locator('.search-panel li b')
      .evaluateAll((titles) => titles.map(({ textContent }) => textContent?.trim() ?? ''));
  const readTitle = (): Promise<string> => page.getByRole('heading', { level: 2 }).first().innerText();
  const waitForTitle = (name: string): Promise<void> =>
    page.getByRole('heading', { level: 2, name, exact: true }).waitFor();

  beforeAll(async () => {
    demo = await startDemo(crowdedSeed);
    visit = await demo.browser.visit('about:blank');
    ({ page } = visit);
  });
  afterAll(() => demo?.stop());
  afterEach(async () => {
    await page.unrouteAll();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });
    expect([...visit.faults.splice(0), ...visit.outsideRequests.splice(0)]).toEqual([]);
  });

  describe('the search', () => {
    test('finds events of all visible calendars beyond the visible days, and opens them on their day', async () => {
      await openView('?view=week&date=2027-01-05');
      await page.keyboard.press('/');
      await page.keyboard.type('talk');
      await page.locator('.search-panel li').nth(1).waitFor();
      expect(await page.getByRole('searchbox').inputValue()).toBe('talk');
      expect(await readResults()).toEqual(['Talk', 'Bob’s talk']);
      await page.getByText('2 results').waitFor();
      expect(await page.locator('.search-panel li b .swatch').count()).toBe(2);
      expect(await page.getByRole('button', { name: /^Bob’s talk/ }).innerText()).toMatch(
        /Thursday, 4 March 2027, 14:00 – 15:00\s+bob@example\.com/,
      );
      expect(await findViolations(page)).toEqual([]);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Bob’s talk' }).waitFor();
      expect(new URL(page.url()).search).toBe('?view=week&date=2027-03-04');
      await page.keyboard.press('Escape');
      await waitForClosed(page);
      expect(await page.locator('input[type=search]:focus').count()).toBe(1);
      await page.getByRole('checkbox', { name: 'bob@example.com' }).uncheck();
      await searchFor('talk');
      expect(await readResults()).toEqual(['Talk']);
      await page.getByRole('checkbox', { name: 'bob@example.com' }).check();
    });

    test('lists a series once, and says when nothing matches; Escape closes it', async () => {
      await demo.ask(
        demoUser,
        'mutation ($event: EventInput!) { insertEvent(calendarId: "primary", event: $event, requestId: "series") { id } }',
        {
          event: {
            summary: 'Yoga',
            start: { dateTime: '2026-11-03T18:00:00', timeZone: 'Europe/Berlin' },
            end: { dateTime: '2026-11-03T19:00:00', timeZone: 'Europe/Berlin' },
            recurrence: ['RRULE:FREQ=WEEKLY'],
          },
        },
      );
      await openView('?view=week&date=2027-01-05');
      await searchFor('yoga');
      expect(await readResults()).toEqual(['Yoga']);
      expect(await page.locator('.search-panel li').innerText()).toMatch(
        /Series, next on \w+, \d+ \w+ 20\d\d, 18:00/,
      );
      await searchFor('no such event');
      await page.getByRole('status').getByText('No events match “no such event”.').waitFor();
      await page.keyboard.press('Escape');
      expect([
        await page.locator('.search-panel').count(),
        await page.getByRole('searchbox').inputValue(),
      ]).toEqual([0, '']);
    });

    test('reports a failure and searches again on request', async () => {
      await openView('?view=week&date=2027-01-05');
      await refuseRequests(page, 503, 'UNAVAILABLE', 'A message for programmers.');
      await searchFor('talk');
      await page.getByRole('alert').getByText('The search failed. The gateway does not answer.').waitFor();
      expect(await findViolations(page)).toEqual([]);
      await page.unrouteAll();
      await page.locator('.search-panel').getByRole('button', { name: 'Try again' }).click();
      await page.locator('.search-panel li').first().waitFor();
      expect(await readResults()).toEqual(['Talk', 'Bob’s talk']);
      expect(visit.faults.splice(0).every((fault) => fault.includes('503'))).toBe(true);
    });

    test.each([
      [390, 'light'],
      [390, 'dark'],
      [1280, 'dark'],
    ] as const)('fits %i pixels (%s)', async (width, colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await openView(`?view=day&date=${allDayDays[1][1]}`);
      await searchFor('event');
      // The seed has 40 events with this word in their titles.
      expect((await readResults()).length).toBe(40);
      expect([await measureSidewaysScroll(page), await findViolations(page)]).toEqual([0, []]);
      await doubleTextSize(page);
      expect([await measureSidewaysScroll(page), await findCutOffTexts(page)]).toEqual([0, []]);
    });
  });

  describe('the small month', () => {
    const monthGrid = () => page.getByRole('grid', { name: /^\w+ \d{4}$/ });
    const readFocusedDay = () => page.locator('.mini-month button:focus').getAttribute('aria-label');

    test('marks the visible days and today, and goes to a day by click or keyboard', async () => {
      await openView(`?view=week&date=${movesDay}`);
      expect(await monthGrid().getByRole('gridcell', { selected: true }).allInnerTexts()).toEqual([
        '1',
        '2',
        '3',
        '4',
        '5',
        '6',
        '7',
      ]);
      await page.getByRole('button', { name: 'Monday, 15 March 2027', exact: true }).click();
      await waitForTitle('15 – 21 March 2027');
      for (const [key, day] of [
        ['ArrowRight', 'Tuesday, 16 March 2027'],
        ['ArrowUp', 'Tuesday, 9 March 2027'],
        ['Home', 'Monday, 8 March 2027'],
        ['End', 'Sunday, 14 March 2027'],
        ['PageDown', 'Wednesday, 14 April 2027'],
        ['Shift+PageUp', 'Tuesday, 14 April 2026'],
      ] as const) {
        await page.keyboard.press(key);
        expect([key, await readFocusedDay()]).toEqual([key, day]);
      }
      await page.keyboard.press('Enter');
      await waitForTitle('13 – 19 April 2026');
      expect(await readFocusedDay()).toBe('Tuesday, 14 April 2026');
      await page.getByRole('button', { name: 'Today', exact: true }).click();
      expect(await monthGrid().locator('[aria-current=date]').count()).toBe(1);
      expect(await findViolations(page)).toEqual([]);
    });

    test('begins the week and writes dates as the reader’s region does', async () => {
      const { page: americanPage } = await demo.browser.visit(
        `${demo.address}/demo?view=day&date=2027-03-04`,
        'en-US',
      );
      await americanPage.getByRole('heading', { name: 'Thursday, March 4, 2027' }).waitFor();
      expect(
        await americanPage.getByRole('grid').getByRole('columnheader').first().getAttribute('aria-label'),
      ).toBe('Sunday');
      await americanPage.context().close();
    });

    test.each(['light', 'dark'] as const)('is a menu on a phone (%s)', async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 390, height: 844 });
      await openView(`?view=day&date=${movesDay}`);
      await page.getByRole('button', { name: 'Go to date' }).click();
      expect([await measureSidewaysScroll(page), await findViolations(page)]).toEqual([0, []]);
      await page.getByRole('button', { name: 'Wednesday, 3 March 2027', exact: true }).click();
      await waitForTitle('Wednesday, 3 March 2027');
      expect(await monthGrid().isVisible()).toBe(false);
      expect(
        await page.getByRole('button', { name: 'Go to date' }).evaluate((button) => button.matches(':focus')),
      ).toBe(true);
    });
  });

  describe('keyboard shortcuts', () => {
    test('change view and days, and start a new event', async () => {
      await openView(`?view=week&date=${movesDay}`);
      for (const [key, expected] of [
        ['m', 'March 2027'],
        ['d', 'Tuesday, 2 March 2027'],
        ['j', 'Wednesday, 3 March 2027'],
        ['k', 'Tuesday, 2 March 2027'],
        ['w', '1 – 7 March 2027'],
      ] as const) {
        await page.keyboard.press(key);
        await waitForTitle(expected);
      }
      await page.keyboard.press('t');
      expect(await readTitle()).not.toContain('March 2027');
      await page.keyboard.press('c');
      await page.getByLabel('Title').waitFor();
    });

    test('do nothing while the user types, in a dialog, or with a modifier', async () => {
      await openView(`?view=week&date=${movesDay}`);
      for (const modifier of ['Control', 'Alt', 'Meta']) await page.keyboard.press(`${modifier}+m`);
      await page.getByRole('searchbox').fill('x');
      await page.keyboard.type('cdm?');
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 2 }).first().click();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.keyboard.type('cdmt/');
      expect([await page.getByRole('dialog').count(), await readTitle()]).toEqual([1, '1 – 7 March 2027']);
    });

    test('are listed with a switch, which the browser remembers', async () => {
      await openView(`?view=week&date=${movesDay}`);
      await page.keyboard.press('?');
      const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      expect(await dialog.getByRole('term').allInnerTexts()).toEqual(
        expect.arrayContaining(['c', 't', 'd', 'w', 'm', '/', 'Delete', '?']),
      );
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findViolations(page)).toEqual([]);
      }
      await dialog.getByRole('checkbox').uncheck();
      await page.keyboard.press('Escape');
      await waitForClosed(page);
      await page.reload();
      await waitForLive(page);
      await page.keyboard.press('m');
      await page.keyboard.press('?');
      expect([await page.getByRole('dialog').count(), await readTitle()]).toEqual([0, '1 – 7 March 2027']);
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      await dialog.getByRole('checkbox').check();
      await page.keyboard.press('Escape');
      await waitForClosed(page);
      await page.keyboard.press('m');
      await waitForTitle('March 2027');
    });

    test('Delete deletes the focused event, focuses the next one, and can be undone', async () => {
      await openView(`?view=week&date=${movesDay}`);
      const talkEvent = eventOnDay(page, '2027-03-03', /^Talk/);
      await talkEvent.press('Delete');
      await talkEvent.waitFor({ state: 'detached' });
      await page.locator('[data-event]:focus').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.locator('[data-date="2027-03-03"] [data-event]:focus', { hasText: 'Talk' }).waitFor();
      // A calendar that the user may only read keeps its events.
      await eventOnDay(page, '2027-03-04', /^Bob’s talk/).press('Delete');
      await page.getByText('“Bob’s talk” cannot be deleted: its calendar is read-only.').waitFor();
      await eventOnDay(page, '2027-03-04', /^Bob’s talk/).waitFor();
    });

    test('a new event gets the focus, and the next one does when it is deleted in a dialog', async () => {
      await openView(`?view=week&date=${movesDay}`);
      await page.keyboard.press('c');
      await page.getByLabel('Title').fill('Errand');
      await page.keyboard.press('Enter');
      await waitForClosed(page);
      await page.locator('[data-event]:focus', { hasText: 'Errand' }).press('Enter');
      await page.getByRole('button', { name: 'Delete' }).press('Enter');
      await waitForClosed(page);
      await page.locator('[data-event]', { hasText: 'Errand' }).waitFor({ state: 'detached' });
      await page.locator('[data-event]:focus').waitFor();
    });

    test('Delete asks how much of a series to delete', async () => {
      await demo.ask(
        demoUser,
        'mutation ($calendarId: String!, $event: EventInput!) { insertEvent(calendarId: $calendarId, event: $event, requestId: "daily") { id } }',
        {
          calendarId: team,
          event: {
            summary: 'Daily',
            start: { dateTime: '2027-03-01T12:00:00', timeZone: 'Europe/Berlin' },
            end: { dateTime: '2027-03-01T12:30:00', timeZone: 'Europe/Berlin' },
            recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
          },
        },
      );
      await openView(`?view=week&date=${movesDay}`);
      const dailyEvent = eventOnDay(page, '2027-03-02', /^Daily/);
      await dailyEvent.press('Delete');
      await page.getByRole('dialog', { name: 'Delete a repeating event' }).waitFor();
      expect(await findViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await waitForClosed(page);
      expect(await dailyEvent.evaluate((element) => element.matches(':focus'))).toBe(true);
      await dailyEvent.press('Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await dailyEvent.waitFor({ state: 'detached' });
      await eventOnDay(page, '2027-03-03', /^Daily/).waitFor();
    });
  });
});
