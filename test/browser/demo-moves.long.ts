import type { Page } from 'playwright-core';
import { demoUser } from '../../src/seed/demo-data.ts';
import { eventually } from '../eventually.ts';
import { describeInChromium, type Visit } from './chromium.ts';
import { measureBox, crowdedSeed, movesDay } from './demo-grid.harness.ts';
import { waitForClosed, eventOnDay, waitForLive, startDemo, type Demo } from './demo.harness.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

const wednesdayAtTen =
  'start: { dateTime: "2027-03-03T10:00:00+01:00" }, end: { dateTime: "2027-03-03T11:00:00+01:00" }';

describeInChromium('moving events on the demo page', () => {
  let demo: Demo;
  let visit: Visit;
  let page: Page;
  beforeAll(async () => {
    demo = await startDemo(crowdedSeed);
    visit = await demo.browser.visit('about:blank');
    ({ page } = visit);
  });
  beforeEach(async () => {
    await demo.ask(
      demoUser,
      `mutation { patchEvent(calendarId: "primary", eventId: "talk0", event: { ${wednesdayAtTen} }) { id } }`,
    );
    await page.goto(`${demo.address}/demo?view=week&date=${movesDay}`);
    await waitForLive(page);
    await eventButton(/^Talk Wednesday 3 March, 10:00 – 11:00/).waitFor();
  });
  afterAll(() => demo?.stop());
  afterEach(async () => {
    await page.unrouteAll();
    expect([...visit.faults.splice(0), ...visit.outsideRequests.splice(0)]).toEqual([]);
  });

  const eventButton = (name: RegExp) => page.getByRole('button', { name }).first();
  /** Returns a point in the column of a day: at a time, or among its all-day events. */
  const pointAt = async (date: string, time?: string): Promise<Point> => {
    const day = page.locator(`[data-date="${date}"]`);
    const { x } = await measureBox(day.last());
    // A day has three elements: heading, all-day events, hours.
    const { y } = await measureBox(
      time === undefined ? day.nth(1) : page.locator(`[data-time="${time}:00"]`).last(),
    );
    return { x: x + 30, y: y + (time === undefined ? 14 : 5) };
  };
  /** Presses and moves until the target stays in place, because hours scroll at their edges. */
  const pressAndMove = async (from: Point, to: () => Promise<Point>): Promise<void> => {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (let previous: Point | undefined, isStill = false; !isStill;) {
      const { x, y } = await to();
      isStill = x === previous?.x && y === previous.y;
      previous = { x, y };
      await page.mouse.move(x, y, { steps: 4 });
      await page.evaluate('new Promise(requestAnimationFrame)');
    }
  };
  const drag = async (from: Point, to: () => Promise<Point>): Promise<void> => {
    await pressAndMove(from, to);
    await page.mouse.up();
  };
  const findGrip = async (name: RegExp): Promise<Point> => {
    // Hovering waits until the event is stable. The grip is the middle of its first half hour or its row.
    await eventButton(name).hover();
    const { x, y } = await measureBox(eventButton(name));
    return { x: x + 30, y: y + 12 };
  };
  const waitForStatus = (words: string): Promise<void> => page.getByRole('status').getByText(words).waitFor();
  /** Holds back the responses of moves until `release` is called. `count`: moves sent so far. */
  const holdMoves = async (): Promise<{ count: number; release: () => void }> => {
    const heldMoves = { count: 0, release: (): void => undefined };
    const released = new Promise<void>((resolve) => (heldMoves.release = resolve));
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('DemoPatchEvent')) return route.fallback();
      heldMoves.count += 1;
      const response = await route.fetch();
      await released;
      return route.fulfill({ response });
    });
    return heldMoves;
  };
  const readTimes = async (eventId: string): Promise<unknown> => {
    const times = await demo.ask<{ event: unknown }>(
      demoUser,
      `{ event(calendarId: "primary", eventId: "${eventId}") { start { date dateTime } end { date dateTime } } }`,
    );
    return times.event;
  };

  test('an all-day event moves by days and to hours and back, by keys and pointer', async () => {
    await eventButton(/^Fair Tuesday 2 March – Wednesday 3 March/).press('Alt+ArrowRight');
    await eventButton(/^Fair Wednesday 3 March – Thursday 4 March/).waitFor();
    await page
      .getByRole('status')
      .getByText('“Fair” moved to Wednesday 3 March – Thursday 4 March.')
      .waitFor();
    // The focus moves along.
    await page.locator('[data-date="2027-03-03"] [data-event]:focus').press('Alt+Shift+ArrowUp');
    await eventButton(/^Fair Wednesday 3 March, all day/).waitFor();

    await drag(await findGrip(/^Fair/), () => pointAt('2027-03-05'));
    await eventButton(/^Fair Friday 5 March, all day/).waitFor();
    await drag(await findGrip(/^Fair/), () => pointAt('2027-03-06', '12:00'));
    await eventButton(/^Fair Saturday 6 March, 12:00 – 13:00/).waitFor();
    await drag(await findGrip(/^Fair/), () => pointAt('2027-03-07'));
    await eventButton(/^Fair Sunday 7 March, all day/).waitFor();
    // The page shows a move before the response.
    await eventually(async () =>
      expect(await readTimes('fair0')).toEqual({
        start: { date: '2027-03-07', dateTime: null },
        end: { date: '2027-03-08', dateTime: null },
      }),
    );
  });

  test('an event is resized by keys and pointer, and moved out of the week with its focus', async () => {
    await eventButton(/^Talk/).press('Alt+Shift+ArrowDown');
    await eventButton(/^Talk Wednesday 3 March, 10:00 – 11:15/).waitFor();
    const { x, y, height } = await measureBox(eventButton(/^Talk/));
    await drag({ x: x + 30, y: y + height - 2 }, async () => ({
      x: x + 30,
      y: (await pointAt(movesDay, '12:00')).y,
    }));
    await eventButton(/^Talk Wednesday 3 March, 10:00 – 12:15/).waitFor();
    await eventButton(/^Talk/).focus();
    const pressAndWaitForFocus = async (key: string, days: readonly number[]): Promise<void> => {
      for (const day of days) {
        await page.keyboard.press(`Alt+${key}`);
        await page.locator(`[data-date="2027-03-0${day}"] [data-event]:focus`).waitFor();
      }
    };
    await pressAndWaitForFocus('ArrowRight', [4, 5, 6, 7, 8]);
    await page.getByRole('status').getByText('“Talk” moved to Monday 8 March, 10:00 – 12:15.').waitFor();
    expect(new URL(page.url()).search).toBe('?view=week&date=2027-03-08');
    await pressAndWaitForFocus('ArrowLeft', [7, 6, 5, 4, 3]);
    await eventOnDay(page, '2027-03-03', /^Talk Wednesday 3 March, 10:00 – 12:15/).waitFor();
  });

  test('a drag continues and is saved when the response to the previous move arrives', async () => {
    const pendingMoves = await holdMoves();
    // The event is held 15 minutes below its start.
    await drag(await findGrip(/^Talk/), () => pointAt('2027-03-04', '11:00'));
    await eventButton(/^Talk Thursday 4 March, 10:45/).waitFor();
    await pressAndMove(await findGrip(/^Talk/), () => pointAt('2027-03-05', '14:00'));
    pendingMoves.release();
    await waitForStatus('“Talk” moved to Thursday 4 March, 10:45');
    await page.mouse.up();
    await waitForStatus('“Talk” moved to Friday 5 March, 13:45');
    await eventButton(/^Talk Friday 5 March, 13:45/).press('Alt+ArrowLeft');
    await waitForStatus('“Talk” moved to Thursday 4 March, 13:45');
  });

  test('all key presses count, even if faster than the gateway', async () => {
    const queuedMoves = await holdMoves();
    await eventButton(/^Talk/).focus();
    for (const _day of [4, 5, 6, 7, 8]) await page.keyboard.press('Alt+ArrowRight');
    await eventOnDay(page, '2027-03-08', /^Talk Monday 8 March, 10:00/).waitFor();
    queuedMoves.release();
    await waitForStatus('“Talk” moved to Monday 8 March, 10:00');
    await page.locator('[data-date="2027-03-08"] [data-event]:focus').waitFor();
    // Intermediate moves are not sent.
    expect([queuedMoves.count, await readTimes('talk0')]).toEqual([
      2,
      expect.objectContaining({ start: { date: null, dateTime: '2027-03-08T10:00:00+01:00' } }),
    ]);
  });

  test('a read from before a move that arrives after it does not revert it', async () => {
    await eventButton(/^Talk/).focus();
    // Each read waits after the gateway's response until it is released.
    const releaseReads: (() => void)[] = [];
    let isHeld = true;
    await page.route('**/graphql', async (route) => {
      const body = route.request().postData() ?? '';
      if (!body.includes('DemoChanges') || !body.includes(`"calendarId":"${demoUser}"`))
        return route.fallback();
      const response = await route.fetch();
      if (isHeld) await new Promise<void>((resolve) => void releaseReads.push(resolve));
      return route.fulfill({ response });
    });
    const waitForReads = (count: number): Promise<void> =>
      eventually(async () => expect(releaseReads).toHaveLength(count));
    await page.keyboard.press('Alt+ArrowRight');
    await waitForStatus('“Talk” moved to Thursday 4 March');
    await waitForReads(1);
    await page.keyboard.press('Alt+ArrowRight');
    await waitForStatus('“Talk” moved to Friday 5 March');
    releaseReads[0]?.();
    await waitForReads(2);
    await page.keyboard.press('Alt+ArrowRight');
    await waitForStatus('“Talk” moved to Saturday 6 March');
    isHeld = false;
    releaseReads[1]?.();
    await eventButton(/^Talk Saturday 6 March/).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  // Start times include one that is not on a grid line.
  test.each([
    ['10:20', 3],
    ['10:15', 26],
    ['10:00', 12],
    ['10:00', 3],
  ])(
    'an event at %s that is dragged %i pixels below its start keeps that distance',
    async (time, offsetPx) => {
      const times = `start: { dateTime: "2027-03-03T${time}:00+01:00" }, end: { dateTime: "2027-03-03T12:00:00+01:00" }`;
      await demo.ask(
        demoUser,
        `mutation { patchEvent(calendarId: "primary", eventId: "talk0", event: { ${times} }) { id } }`,
      );
      await eventButton(new RegExp(`^Talk Wednesday 3 March, ${time} – 12:00`)).waitFor();
      const hourHeight = (await pointAt(movesDay, '11:00')).y - (await pointAt(movesDay, '10:00')).y;
      const columnWidth = (await pointAt('2027-03-04')).x - (await pointAt('2027-03-03')).x;
      const [anHourLater, anHourEarlier] = [time.replace('10', '11'), time.replace('10', '09')];
      for (const [days, hours, to] of [
        [1, 0, `Thursday 4 March, ${time}`],
        [-1, 1, `Wednesday 3 March, ${anHourLater}`],
        [-1, -1, `Tuesday 2 March, ${time}`],
        [1, 0, `Wednesday 3 March, ${time}`],
        [0, -1, `Wednesday 3 March, ${anHourEarlier}`],
        [0, 1, `Wednesday 3 March, ${time}`],
      ] as const) {
        await eventButton(/^Talk/).hover();
        const { x, y } = await measureBox(eventButton(/^Talk/));
        await drag({ x: x + 30, y: y + offsetPx }, async () => ({
          x: x + 30 + days * columnWidth,
          y: y + offsetPx + hours * hourHeight,
        }));
        await page.getByRole('status').getByText(`“Talk” moved to ${to} –`).waitFor();
      }
    },
  );

  test('Escape cancels a move, a resize or a selection, and nothing is saved', async () => {
    const timesBefore = await readTimes('talk0');
    const sentMutations: string[] = [];
    page.on(
      'request',
      (request) => request.postData()?.includes('mutation') && sentMutations.push(request.postData() ?? ''),
    );
    const { x, y, height } = await measureBox(eventButton(/^Talk/));
    const emptyPoint = await pointAt(movesDay, '14:00');
    const findLaterPoint = () => pointAt('2027-03-03', '14:00');
    const findPointBelow = () => pointAt(movesDay, '16:00');
    for (const [from, to] of [
      [{ x: x + 30, y: y + 8 }, findLaterPoint],
      [{ x: x + 30, y: y + height - 2 }, findLaterPoint],
      [emptyPoint, findPointBelow],
    ] as const) {
      await pressAndMove(from, to);
      await page.keyboard.press('Escape');
      await page.locator('.moving, .selected').waitFor({ state: 'detached' });
      await page.mouse.up();
      expect([await measureBox(eventButton(/^Talk/)), await page.getByRole('dialog').count()]).toEqual([
        expect.objectContaining({ x, y, height }),
        0,
      ]);
    }
    expect([sentMutations, await readTimes('talk0')]).toEqual([[], timesBefore]);
    // The next drag works again.
    await drag(emptyPoint, findPointBelow);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await waitForClosed(page);
  });

  test('a click on an empty hour and on an empty day begins a new event, and a drag proposes its hours', async () => {
    const hourPoint = await pointAt(movesDay, '15:00');
    await page.mouse.click(hourPoint.x, hourPoint.y);
    const readTimeFields = async (): Promise<string[]> =>
      Promise.all(
        ['Start date', 'Start time', 'End time'].map((label) => page.getByLabel(label).inputValue()),
      );
    expect(await readTimeFields()).toEqual([movesDay, '15:00', '16:00']);
    await page.keyboard.press('Escape');
    await waitForClosed(page);
    await drag(hourPoint, async () => {
      const { x, y } = await pointAt(movesDay, '17:00');
      return { x, y: y - 10 };
    });
    expect(await readTimeFields()).toEqual([movesDay, '15:00', '17:00']);
    await page.keyboard.press('Escape');
    await waitForClosed(page);
    await page.getByRole('button', { name: 'Month', exact: true }).click();
    const dayBox = await measureBox(page.locator('[data-date="2027-03-20"]'));
    await page.mouse.click(dayBox.x + 30, dayBox.y + 60);
    expect(await page.getByLabel('Start date').inputValue()).toBe('2027-03-20');
    expect(await page.getByLabel('All day').isChecked()).toBe(true);
  });

  test('a refused move is reverted with a notice', async () => {
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('DemoPatchEvent')) return route.fallback();
      return route.fulfill({
        status: 200,
        contentType: 'application/json',
        body: JSON.stringify({
          data: { patchEvent: null },
          errors: [
            { message: 'Not today.', path: ['patchEvent'], extensions: { code: 'FORBIDDEN', issues: [] } },
          ],
        }),
      });
    });
    await eventButton(/^Talk/).press('Alt+ArrowDown');
    await page
      .getByRole('status', { name: 'Notices' })
      .getByText('“Talk” stays where it was. Not today.')
      .waitFor();
    await eventButton(/^Talk Wednesday 3 March, 10:00/).waitFor();
    await drag(await findGrip(/^Talk/), () => pointAt('2027-03-05', '15:00'));
    await eventButton(/^Talk Wednesday 3 March, 10:00/).waitFor();
  });
});
