import type { Locator, Page } from 'playwright-core';
import { demoUser } from '../../src/seed/demo-data.ts';
import { describeInChromium, type Visit } from './chromium.ts';
import { findViolations, waitForLive, startDemo, type Demo } from './demo.harness.ts';
import { measureBox, findCutOffTexts, measureSidewaysScroll } from './demo-grid.harness.ts';

const date = '2027-03-04';
/** Pixels in which the beginning of an event's title can be read. */
const minReadableWidthPx = 44;
/** Pixels that the grid gains at least when the sidebar is closed. */
const minSidebarWidthPx = 200;
/** Pixels of a toolbar with three rows, as on a phone. */
const maxToolbarHeightPx = 130;
/** Titles of events at the same time. */
const titles = ['Quarterly planning meeting', 'Interview', 'Budget review', 'Retrospective', 'Lunch'];
const seed = {
  calendars: [
    {
      id: demoUser,
      owner: demoUser,
      timeZone: 'Europe/Berlin',
      acl: [],
      events: titles.map((summary, index) => ({
        id: `event${index}`,
        summary,
        start: { dateTime: `${date}T10:00:00`, timeZone: 'Europe/Berlin' },
        end: { dateTime: `${date}T12:00:00`, timeZone: 'Europe/Berlin' },
      })),
    },
  ],
  buckets: [],
};

const insertMutation =
  'mutation ($event: EventInput!) { insertEvent(calendarId: "primary", event: $event) { id } }';

/** Finds lines of an event's words of which a part is outside of its card. Titles may end in an ellipsis. */
const findPartlyVisibleTexts = (event: Locator): Promise<string[]> =>
  event.locator('.event-words').evaluate((words) => {
    const card = words.getBoundingClientRect();
    return [...words.querySelectorAll('.event-title, .event-time')].flatMap((element) => {
      const range = words.ownerDocument.createRange();
      range.selectNodeContents(element);
      const isTime = element.className === 'event-time';
      return [...range.getClientRects()]
        .filter(
          ({ top, bottom, right }) =>
            top < card.bottom - 2 && (bottom > card.bottom + 2 || (isTime && right > card.right + 1)),
        )
        .map(() => element.textContent ?? '');
    });
  });

describeInChromium('the demo page by width', () => {
  let demo: Demo;
  let visit: Visit;
  let page: Page;
  const openAtWidth = async (width: number, query: string): Promise<void> => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${demo.address}/demo${query}`);
    await waitForLive(page);
    await page.locator('[aria-busy=false]').waitFor();
  };
  const countDays = () => page.locator('[data-date]:has(.head-name)').count();
  beforeAll(async () => {
    demo = await startDemo(seed);
    visit = await demo.browser.visit('about:blank');
    ({ page } = visit);
  });
  afterAll(() => demo?.stop());
  afterEach(() => expect([...visit.faults.splice(0), ...visit.outsideRequests.splice(0)]).toEqual([]));

  test('a tablet shows three days, and steps by three', async () => {
    await openAtWidth(820, `?view=week&date=${date}`);
    await page.getByRole('heading', { name: '4 – 6 March 2027' }).waitFor();
    expect(await countDays()).toBe(3);
    await page.getByRole('button', { name: '3 days after' }).click();
    await page.getByRole('heading', { name: '7 – 9 March 2027' }).waitFor();
    await openAtWidth(1440, `?view=week&date=${date}`);
    await page.getByRole('heading', { name: '1 – 7 March 2027' }).waitFor();
    expect(await countDays()).toBe(7);
  });

  test('the sidebar can be closed and opened, and stays closed after a reload', async () => {
    await openAtWidth(820, `?view=week&date=${date}`);
    const sidebarButton = page.getByRole('button', { name: 'Sidebar' });
    const calendars = page.getByRole('region', { name: 'Calendars', exact: true });
    const { width } = await measureBox(page.locator('.grid'));
    await sidebarButton.click();
    expect([await calendars.isVisible(), await sidebarButton.getAttribute('aria-expanded')]).toEqual([
      false,
      'false',
    ]);
    expect((await measureBox(page.locator('.grid'))).width).toBeGreaterThan(width + minSidebarWidthPx);
    await page.reload();
    await waitForLive(page);
    expect(await calendars.isVisible()).toBe(false);
    await sidebarButton.click();
    expect(await calendars.isVisible()).toBe(true);
  });

  test.each([1440, 1200, 820])(
    '%i pixels: shows two of five simultaneous events, and the others after a click',
    async (width) => {
      await openAtWidth(width, `?view=week&date=${date}`);
      const visibleEvents = page.locator(`[data-date="${date}"] [data-event]:visible`);
      await visibleEvents.nth(1).waitFor();
      expect(await visibleEvents.count()).toBe(2);
      for (const event of await visibleEvents.all())
        expect((await measureBox(event)).width).toBeGreaterThan(minReadableWidthPx);
      expect(await visibleEvents.first().locator('.event-title').getAttribute('title')).toMatch(
        /^\w.*, Thursday 4 March, 10:00 – 12:00$/,
      );
      const moreButton = page.locator('.more-in-hours');
      expect(await moreButton.ariaSnapshot()).toContain('+3 more');
      expect([await findCutOffTexts(page), await measureSidewaysScroll(page)]).toEqual([[], 0]);
      await moreButton.click();
      expect(await page.getByRole('dialog').locator('[data-event]').count()).toBe(3);
      expect(await findViolations(page)).toEqual([]);
    },
  );

  test('a narrow column shows the whole title, and the start of an event or no time rather than a part of it', async () => {
    const { page: americanPage } = await demo.browser.visit('about:blank', 'en-US');
    await americanPage.setViewportSize({ width: 1120, height: 900 });
    const day = '2027-06-08';
    for (const [hour, summary, end] of [
      ['09', 'Breakfast', '10:00'],
      ['11', 'Quarterly planning', '12:00'],
      ['13', 'Stand-up', '13:15'],
    ]) {
      await demo.ask(demoUser, insertMutation, {
        event: {
          summary,
          start: { dateTime: `${day}T${hour}:00:00`, timeZone: 'Europe/Berlin' },
          end: { dateTime: `${day}T${end}:00`, timeZone: 'Europe/Berlin' },
        },
      });
    }
    for (const view of ['week', 'month']) {
      await americanPage.goto(`${demo.address}/demo?view=${view}&date=${day}`);
      const event = (title: string) => americanPage.getByRole('button', { name: new RegExp(`^${title}`) });
      await event('Breakfast').waitFor();
      expect(await event('Breakfast').locator('.event-time').innerText()).toBe('9 AM');
      for (const title of ['Breakfast', 'Quarterly planning', 'Stand-up'])
        expect([view, title, await findPartlyVisibleTexts(event(title))]).toEqual([view, title, []]);
    }
    await americanPage.context().close();
  });

  test.each([820, 390])(
    '%i pixels: buttons and grid stay in place, however long the title is',
    async (width) => {
      const measurePositions = async (day: string): Promise<unknown> => {
        await openAtWidth(width, `?view=week&date=${day}`);
        const { x, y } = await measureBox(page.getByRole('button', { name: / after$/ }));
        return [x, y, (await measureBox(page.locator('.grid'))).y];
      };
      expect(await measurePositions('2027-09-29')).toEqual(await measurePositions(date));
      expect((await measureBox(page.locator('.toolbar'))).height).toBeLessThan(maxToolbarHeightPx);
    },
  );

  test.each([1440, 820, 390])(
    '%i pixels: a notice covers no button below the grid and keeps its size',
    async (width) => {
      await openAtWidth(width, `?view=week&date=${date}`);
      const gridBox = await measureBox(page.locator('.grid'));
      await page.getByRole('button', { name: /^Budget review/ }).press('Delete');
      const undoButton = page.getByRole('button', { name: 'Undo' });
      await undoButton.waitFor();
      expect(await measureBox(page.locator('.grid'))).toEqual(gridBox);
      for (const button of await page.locator('.foot button').all()) await button.click({ trial: true });
      await undoButton.click();
      await page.getByText('“Budget review” was restored.').waitFor();
    },
  );

  test.each([1440, 390])('%i pixels: the form shows the whole texts of its choices', async (width) => {
    await openAtWidth(width, `?view=week&date=${date}`);
    await page.getByRole('button', { name: 'New event' }).click();
    await page.getByLabel('Use calendar default').uncheck();
    await page.getByRole('button', { name: 'Add a reminder' }).click();
    expect(
      await page.evaluate(`[...document.querySelectorAll('dialog select')].flatMap((select) => {
        const copy = select.cloneNode(true);
        copy.style.width = 'auto';
        select.after(copy);
        const isCut = copy.offsetWidth > select.offsetWidth;
        copy.remove();
        return isCut ? [select.labels[0].textContent] : [];
      })`),
    ).toEqual([]);
    await page.evaluate('sessionStorage.clear()');
  });

  test('no title is broken inside a word', async () => {
    await openAtWidth(1440, `?view=week&date=${date}`);
    const title = page.locator('.event-title', { hasText: /\S/ }).first();
    await title.evaluate((element) => (element.textContent = 'Incomprehensibilities'));
    const lineCount = await title.evaluate((element) => {
      const range = element.ownerDocument.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    });
    expect(lineCount).toBe(1);
  });

  test('on a day without events, a phone names the next event and opens its day', async () => {
    await openAtWidth(390, '?date=2027-02-27');
    await page.getByText('No events on this day.').waitFor();
    await page.getByRole('button', { name: /^Next: .+, Thursday 4 March, 10:00 – 12:00/ }).click();
    await page.getByRole('heading', { name: 'Thursday, 4 March 2027' }).waitFor();
    expect(await page.getByText('No events on this day.').count()).toBe(0);
    await openAtWidth(390, '?date=2027-03-05');
    await page.getByText('None in the next 14 days.').waitFor();
    expect(await findViolations(page)).toEqual([]);
  });
});
