import type { Page } from 'playwright-core';
import { demoUser } from '../../src/seed/demo-data.ts';
import { eventually } from '../eventually.ts';
import { describeInChromium, type Visit } from './chromium.ts';
import {
  allDayDays,
  autumnChangeDay,
  measureDistanceToLine,
  measureBox,
  crowdedSeed,
  findCutOffTexts,
  readEdgeColor,
  fullDay,
  movesDay,
  measureSidewaysScroll,
  findSmallTargets,
  springChangeDay,
  team,
  readTitles,
  doubleTextSize,
} from './demo-grid.harness.ts';
import {
  findViolations,
  waitForClosed,
  openEditor,
  eventOnDay,
  waitForLive,
  startDemo,
  type Demo,
} from './demo.harness.ts';

describeInChromium('the views of the demo page', () => {
  let demo: Demo;
  let visit: Visit;
  let page: Page;
  const openView = async (query: string): Promise<void> => {
    await page.goto(`${demo.address}/demo${query}`);
    await waitForLive(page);
    await page.locator('[aria-busy=false]').waitFor();
  };
  beforeAll(async () => {
    demo = await startDemo(crowdedSeed);
    visit = await demo.browser.visit('about:blank');
    ({ page } = visit);
  });
  afterAll(() => demo?.stop());
  afterEach(async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    expect([...visit.faults.splice(0), ...visit.outsideRequests.splice(0)]).toEqual([]);
  });

  test.each(allDayDays)(
    'with %i all-day events on a day, each can be reached, and an event at ten is at its line',
    async (count, date) => {
      for (const view of ['day', 'week']) {
        await openView(`?view=${view}&date=${date}`);
        await eventOnDay(page, date, /^At ten/).waitFor();
        expect([view, await measureDistanceToLine(page, eventOnDay(page, date, /^At ten/), '10:00')]).toEqual(
          [view, expect.closeTo(0, 0)],
        );
        const titles = await readTitles(page, date);
        expect([view, [...titles].filter((title) => title.startsWith('All day')).length]).toEqual([
          view,
          count,
        ]);
      }
      expect(await findViolations(page)).toEqual([]);
    },
  );

  test.each(['day', 'week', 'month'])('each of 40 events on a day can be reached in a %s', async (view) => {
    await openView(`?view=${view}&date=${fullDay}`);
    await page.locator(`[data-date="${fullDay}"] [data-event]`).first().waitFor();
    expect((await readTitles(page, fullDay)).size).toBe(40);
    const moreButton = page
      .locator(`[data-date="${fullDay}"]`)
      .getByRole('button', { name: /^\+\d+/ })
      .last();
    if ((await moreButton.count()) === 0) return;
    await moreButton.click();
    expect(await findViolations(page)).toEqual([]);
    const lastEvent = page.getByRole('dialog').locator('[data-event]').last();
    const title = await lastEvent.locator('.event-title').innerText();
    await openEditor(lastEvent);
    expect(await page.getByLabel('Title').inputValue()).toBe(title);
  });

  test('events in both repeated hours of autumn are distinguished, opened and moved correctly', async () => {
    await openView(`?view=day&date=${autumnChangeDay}`);
    const [firstEvent, secondEvent] = [
      eventOnDay(page, autumnChangeDay, /^First Sunday 25 October, 02:30 CEST – 02:45 CEST/),
      eventOnDay(page, autumnChangeDay, /^Second Sunday 25 October, 02:30 CET – 02:45 CET/),
    ];
    for (const [event, title] of [
      [firstEvent, 'First'],
      [secondEvent, 'Second'],
    ] as const) {
      expect(await measureDistanceToLine(page, event, '02:30')).toBeCloseTo(0, 0);
      await openEditor(event);
      expect(await page.getByLabel('Title').inputValue()).toBe(title);
      await page.keyboard.press('Escape');
      await waitForClosed(page);
    }
    await eventOnDay(
      page,
      autumnChangeDay,
      /^Over the change Sunday 25 October, 02:45 CEST – 02:15 CET/,
    ).waitFor();
    await secondEvent.press('Alt+ArrowDown');
    await eventOnDay(page, autumnChangeDay, /^Second Sunday 25 October, 02:45 CET – 03:00/).waitFor();
    await eventually(async () => expect(await readStart('second')).toBe(`${autumnChangeDay}T02:45:00+01:00`));
  });

  test('the skipped hour of spring moves no event from its line, and a move there is 15 minutes long', async () => {
    await openView(`?view=week&date=${springChangeDay}`);
    expect(
      await measureDistanceToLine(page, eventOnDay(page, springChangeDay, /^After the gap/), '04:00'),
    ).toBeCloseTo(0, 0);
    await eventOnDay(page, springChangeDay, /^Over the gap Sunday 29 March, 01:45 – 03:15/).press(
      'Alt+ArrowDown',
    );
    await eventOnDay(page, springChangeDay, /^Over the gap Sunday 29 March, 03:00 – 03:30/).waitFor();
  });

  const readStart = async (eventId: string): Promise<string> => {
    const { event } = await demo.ask<{ event: { start: { dateTime: string } } }>(
      demoUser,
      `{ event(calendarId: "primary", eventId: "${eventId}") { start { dateTime } } }`,
    );
    return event.start.dateTime;
  };

  test('a phone opens the day view, and no view scrolls sideways or has small targets', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openView(`?date=${movesDay}`);
    expect(page.url()).toContain('?view=day&');
    for (const [view, date] of [
      ['day', fullDay],
      ['week', fullDay],
      ['month', fullDay],
      ['day', allDayDays[2][1]],
    ] as const) {
      await openView(`?view=${view}&date=${date}`);
      await page.locator('[data-event]').first().waitFor();
      expect([view, await measureSidewaysScroll(page)]).toEqual([view, 0]);
      expect([view, await findSmallTargets(page)]).toEqual([view, []]);
      expect(await findViolations(page)).toEqual([]);
    }
    await openView(`?view=week&date=${movesDay}`);
    await page
      .getByRole('button', { name: /^Fair Tuesday 2 March – Wednesday 3 March/ })
      .first()
      .waitFor();
  });

  test('with text of twice the size nothing is cut off, and events stay at their lines', async () => {
    const [, date] = allDayDays[1];
    for (const [width, view] of [
      [1280, 'week'],
      [1280, 'day'],
      [390, 'day'],
      [390, 'week'],
      [390, 'month'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await openView(`?view=${view}&date=${date}`);
      await doubleTextSize(page);
      const event = page.locator('[data-event]', { hasText: 'At ten' }).first();
      if (view !== 'month') await event.scrollIntoViewIfNeeded();
      expect([width, view, await measureSidewaysScroll(page)]).toEqual([width, view, 0]);
      expect([width, view, await findCutOffTexts(page)]).toEqual([width, view, []]);
      if (width === 1280)
        await expect(measureDistanceToLine(page, event, '10:00')).resolves.toBeCloseTo(0, 0);
    }
  });

  test('view and date are in the URL, which opens them', async () => {
    await openView(`?view=week&date=${movesDay}`);
    const heading = page.getByRole('heading', { level: 2 });
    const [chooseView, readUrlQuery] = [
      (name: string) => page.getByRole('button', { name, exact: true }).click(),
      () => new URL(page.url()).search,
    ];
    await chooseView('Month');
    await heading.getByText('March 2027').waitFor();
    expect(readUrlQuery()).toBe(`?view=month&date=${movesDay}`);
    await page.getByRole('button', { name: 'Month after' }).click();
    expect([readUrlQuery(), await heading.innerText()]).toEqual([
      '?view=month&date=2027-04-02',
      'April 2027',
    ]);
    await page.reload();
    await heading.getByText('April 2027').waitFor();
    await page.getByRole('link', { name: 'Go to 9 April 2027' }).click();
    expect([readUrlQuery(), await heading.innerText()]).toEqual([
      '?view=day&date=2027-04-09',
      'Friday, 9 April 2027',
    ]);
    await page.getByRole('button', { name: 'Day before' }).click();
    await chooseView('Week');
    expect([readUrlQuery(), await heading.innerText()]).toEqual([
      '?view=week&date=2027-04-08',
      '5 – 11 April 2027',
    ]);
    await openView('?week=2027-01-06');
    expect(await heading.innerText()).toBe('4 – 10 January 2027');
    await chooseView('Today');
    expect(readUrlQuery()).not.toContain('2027-01');
    const today = await heading.innerText();
    for (const invalidDate of ['-000001-01-01', '9999-12-31', '1899-12-31', 'soon']) {
      await openView(`?view=week&date=${invalidDate}`);
      expect([invalidDate, await heading.innerText()]).toEqual([invalidDate, today]);
    }
    await openView('?view=month&date=1900-01-20');
    expect([
      await page.getByRole('button', { name: 'Month before' }).isDisabled(),
      await page.getByRole('button', { name: 'Month after' }).isDisabled(),
    ]).toEqual([true, false]);
    await openView('?view=month&date=2200-12-20');
    expect(await page.getByRole('button', { name: 'Month after' }).isDisabled()).toBe(true);
  });

  test.each([503, 429, 'no answer'])(
    'a failed read (%s) keeps the shown events and is repeated',
    async (failure) => {
      await openView(`?view=week&date=${movesDay}`);
      const notice = page.getByRole('status', { name: 'Notices' }).getByText('Events could not be refreshed');
      await page.route('**/graphql', (route) => {
        if (!/DemoChanges|DemoEvents/.test(route.request().postData() ?? '')) return route.fallback();
        return typeof failure === 'number'
          ? route.fulfill({ status: failure, body: '' })
          : route.abort('connectionreset');
      });
      const renameTalk = (summary: string) =>
        demo.ask(
          demoUser,
          `mutation { patchEvent(calendarId: "primary", eventId: "talk0", event: { summary: "${summary}" }) { id } }`,
        );
      await renameTalk(`Talk ${failure}`);
      await notice.waitFor();
      // At least one retry.
      await page.waitForRequest((request) => request.postData()?.includes('DemoChanges') === true);
      expect(await notice.count()).toBe(1);
      await eventOnDay(page, '2027-03-03', /^Talk Wednesday 3 March/).waitFor();
      await eventOnDay(page, '2027-03-04', /^Bob’s talk/).waitFor();
      await page.unroute('**/graphql');
      await eventOnDay(page, '2027-03-03', new RegExp(`^Talk ${failure} Wednesday`)).waitFor();
      await notice.waitFor({ state: 'detached' });
      await waitForLive(page);
      await renameTalk('Talk');
      await eventOnDay(page, '2027-03-03', /^Talk Wednesday/).waitFor();
      visit.faults.splice(0);
    },
  );

  test('calendars have colours and share a stream; a reader moves nothing, and a deleted calendar is removed', async () => {
    const streamBodies: string[] = [];
    page.on(
      'request',
      (request) => request.url().endsWith('/graphql/stream') && streamBodies.push(request.postData() ?? ''),
    );
    await openView(`?view=week&date=${movesDay}`);
    const [bobsEvent, teamEvent] = [
      eventOnDay(page, '2027-03-04', /^Bob’s talk/),
      eventOnDay(page, '2027-03-05', /^Retrospective/),
    ];
    expect(await readEdgeColor(teamEvent)).toBe('rgb(11, 114, 133)');
    expect(await readEdgeColor(bobsEvent)).not.toBe(await readEdgeColor(teamEvent));
    expect(
      streamBodies.map(
        (body) => (JSON.parse(body) as { variables: { calendarIds: string[] } }).variables.calendarIds.length,
      ),
    ).toEqual([3]);

    await bobsEvent.press('Alt+ArrowDown');
    const { x, y } = await measureBox(bobsEvent);
    await page.mouse.move(x + 20, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + 20, y + 110, { steps: 4 });
    await page.mouse.up();
    await eventOnDay(page, '2027-03-04', /^Bob’s talk Thursday 4 March, 14:00 – 15:00/).waitFor();
    if ((await page.getByRole('dialog').count()) === 0) await bobsEvent.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');

    // After a change, only the changed calendar is read again.
    const readCalendarIds: string[] = [];
    page.on(
      'request',
      (request) =>
        request.postData()?.includes('DemoChanges') &&
        readCalendarIds.push(
          (JSON.parse(request.postData() ?? '') as { variables: { calendarId: string } }).variables
            .calendarId,
        ),
    );
    await demo.ask(
      demoUser,
      `mutation { patchEvent(calendarId: "${team}", eventId: "retrospective", event: { summary: "Look back" }) { id } }`,
    );
    await eventOnDay(page, '2027-03-05', /^Look back/).waitFor();
    expect(new Set(readCalendarIds)).toEqual(new Set([team]));

    await demo.ask(demoUser, `mutation { deleteCalendar(calendarId: "${team}") }`);
    await page.getByRole('status', { name: 'Notices' }).getByText(`“${team}” is not shown`).waitFor();
    await eventOnDay(page, '2027-03-05', /^Look back/).waitFor({ state: 'detached' });
    await eventOnDay(page, '2027-03-04', /^Bob’s talk/).waitFor();
    await waitForLive(page);
  });
});
