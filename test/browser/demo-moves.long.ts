import type { Page } from 'playwright-core';
import { demoUser } from '../../src/seed/demo-data.ts';
import { eventually } from '../eventually.ts';
import { describeInChromium, type Visit } from './chromium.ts';
import { boxOf, crowded, moves } from './demo-grid.harness.ts';
import { closed, eventOf, live, startDemo, type Demo } from './demo.harness.ts';

interface Place {
  readonly x: number;
  readonly y: number;
}

const wednesdayAtTen =
  'start: { dateTime: "2027-03-03T10:00:00+01:00" }, end: { dateTime: "2027-03-03T11:00:00+01:00" }';

describeInChromium('moves on the demo page', () => {
  let demo: Demo;
  let visit: Visit;
  let page: Page;
  beforeAll(async () => {
    demo = await startDemo(crowded);
    visit = await demo.browser.visit('about:blank');
    ({ page } = visit);
  });
  beforeEach(async () => {
    await demo.ask(
      demoUser,
      `mutation { patchEvent(calendarId: "primary", eventId: "talk0", event: { ${wednesdayAtTen} }) { id } }`,
    );
    await page.goto(`${demo.address}/demo?view=week&date=${moves}`);
    await live(page);
    await event(/^Talk Wednesday 3 March, 10:00 – 11:00/).waitFor();
  });
  afterAll(() => demo?.stop());
  afterEach(async () => {
    await page.unrouteAll();
    expect([...visit.faults.splice(0), ...visit.outside.splice(0)]).toEqual([]);
  });

  const event = (name: RegExp) => page.getByRole('button', { name }).first();
  const at = async (date: string, time?: string): Promise<Place> => {
    const day = page.locator(`[data-date="${date}"]`);
    const { x } = await boxOf(day.last());
    // Of a day there are its heading, its all-day events and its hours.
    const { y } = await boxOf(
      time === undefined ? day.nth(1) : page.locator(`[data-time="${time}:00"]`).last(),
    );
    return { x: x + 30, y: y + (time === undefined ? 14 : 5) };
  };
  /** Until it is there and stays so: at their edges the hours scroll by themselves. */
  const press = async (from: Place, to: () => Promise<Place>): Promise<void> => {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (let last: Place | undefined, isThere = false; !isThere;) {
      const { x, y } = await to();
      isThere = x === last?.x && y === last.y;
      last = { x, y };
      await page.mouse.move(x, y, { steps: 4 });
      await page.evaluate('new Promise(requestAnimationFrame)');
    }
  };
  const drag = async (from: Place, to: () => Promise<Place>): Promise<void> => {
    await press(from, to);
    await page.mouse.up();
  };
  const grip = async (name: RegExp): Promise<Place> => {
    // Waits until it is where it stays. In the middle of its first half hour, or of its row, which is what the library drops.
    await event(name).hover();
    const { x, y } = await boxOf(event(name));
    return { x: x + 30, y: y + 12 };
  };
  const said = (words: string): Promise<void> => page.getByRole('status').getByText(words).waitFor();
  /** Moves are stored, and their answers wait until `answer` is called. */
  const holdMoves = async (): Promise<{ count: number; answer: () => void }> => {
    const held = { count: 0, answer: (): void => undefined };
    const answered = new Promise<void>((resolve) => (held.answer = resolve));
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('DemoPatchEvent')) return route.fallback();
      held.count += 1;
      const response = await route.fetch();
      await answered;
      return route.fulfill({ response });
    });
    return held;
  };
  const stored = async (eventId: string): Promise<unknown> => {
    const times = await demo.ask<{ event: unknown }>(
      demoUser,
      `{ event(calendarId: "primary", eventId: "${eventId}") { start { date dateTime } end { date dateTime } } }`,
    );
    return times.event;
  };

  test('an all-day event goes by days, with the keys and the pointer, to the hours and back', async () => {
    await event(/^Fair Tuesday 2 March – Wednesday 3 March/).press('Alt+ArrowRight');
    await event(/^Fair Wednesday 3 March – Thursday 4 March/).waitFor();
    await page
      .getByRole('status')
      .getByText('Fair is now on Wednesday 3 March – Thursday 4 March.')
      .waitFor();
    // The focus goes along.
    await page.locator('[data-date="2027-03-03"] [data-event]:focus').press('Alt+Shift+ArrowUp');
    await event(/^Fair Wednesday 3 March, all day/).waitFor();

    await drag(await grip(/^Fair/), () => at('2027-03-05'));
    await event(/^Fair Friday 5 March, all day/).waitFor();
    await drag(await grip(/^Fair/), () => at('2027-03-06', '12:00'));
    await event(/^Fair Saturday 6 March, 12:00 – 13:00/).waitFor();
    await drag(await grip(/^Fair/), () => at('2027-03-07'));
    await event(/^Fair Sunday 7 March, all day/).waitFor();
    // The page shows a move before it is answered.
    await eventually(async () =>
      expect(await stored('fair0')).toEqual({
        start: { date: '2027-03-07', dateTime: null },
        end: { date: '2027-03-08', dateTime: null },
      }),
    );
  });

  test('an event is made longer at its end, with the keys and the pointer, and followed out of the week', async () => {
    await event(/^Talk/).press('Alt+Shift+ArrowDown');
    await event(/^Talk Wednesday 3 March, 10:00 – 11:15/).waitFor();
    const { x, y, height } = await boxOf(event(/^Talk/));
    await drag({ x: x + 30, y: y + height - 2 }, async () => ({
      x: x + 30,
      y: (await at(moves, '12:00')).y,
    }));
    await event(/^Talk Wednesday 3 March, 10:00 – 12:15/).waitFor();
    await event(/^Talk/).focus();
    const follow = async (key: string, days: readonly number[]): Promise<void> => {
      for (const day of days) {
        await page.keyboard.press(`Alt+${key}`);
        await page.locator(`[data-date="2027-03-0${day}"] [data-event]:focus`).waitFor();
      }
    };
    await follow('ArrowRight', [4, 5, 6, 7, 8]);
    await page.getByRole('status').getByText('Talk is now on Monday 8 March, 10:00 – 12:15.').waitFor();
    expect(new URL(page.url()).search).toBe('?view=week&date=2027-03-08');
    await follow('ArrowLeft', [7, 6, 5, 4, 3]);
    await eventOf(page, '2027-03-03', /^Talk Wednesday 3 March, 10:00 – 12:15/).waitFor();
  });

  test('a drag goes on, and is stored, when the answer to the one before comes meanwhile', async () => {
    const moved = await holdMoves();
    // Held a quarter of an hour below its start.
    await drag(await grip(/^Talk/), () => at('2027-03-04', '11:00'));
    await event(/^Talk Thursday 4 March, 10:45/).waitFor();
    await press(await grip(/^Talk/), () => at('2027-03-05', '14:00'));
    moved.answer();
    await said('Talk is now on Thursday 4 March, 10:45');
    await page.mouse.up();
    await said('Talk is now on Friday 5 March, 13:45');
    await event(/^Talk Friday 5 March, 13:45/).press('Alt+ArrowLeft');
    await said('Talk is now on Thursday 4 March, 13:45');
  });

  test('keys that are pressed faster than the gateway answers all count', async () => {
    const moved = await holdMoves();
    await event(/^Talk/).focus();
    // Out of the week, too.
    for (const _day of [4, 5, 6, 7, 8]) await page.keyboard.press('Alt+ArrowRight');
    await eventOf(page, '2027-03-08', /^Talk Monday 8 March, 10:00/).waitFor();
    moved.answer();
    await said('Talk is now on Monday 8 March, 10:00');
    await page.locator('[data-date="2027-03-08"] [data-event]:focus').waitFor();
    // What lies between is not stored.
    expect([moved.count, await stored('talk0')]).toEqual([
      2,
      expect.objectContaining({ start: { date: null, dateTime: '2027-03-08T10:00:00+01:00' } }),
    ]);
  });

  test('what is read before a move is answered, and comes after it, does not take it back', async () => {
    await event(/^Talk/).focus();
    // Each read waits from when the gateway has answered it, and until it is let go.
    const reads: (() => void)[] = [];
    let isHeld = true;
    await page.route('**/graphql', async (route) => {
      const asked = route.request().postData() ?? '';
      if (!asked.includes('DemoChanges') || !asked.includes(`"calendarId":"${demoUser}"`))
        return route.fallback();
      const response = await route.fetch();
      if (isHeld) await new Promise<void>((resolve) => void reads.push(resolve));
      return route.fulfill({ response });
    });
    const areRead = (count: number): Promise<void> =>
      eventually(async () => expect(reads).toHaveLength(count));
    await page.keyboard.press('Alt+ArrowRight');
    await said('Talk is now on Thursday 4 March');
    await areRead(1);
    await page.keyboard.press('Alt+ArrowRight');
    await said('Talk is now on Friday 5 March');
    reads[0]?.();
    await areRead(2);
    await page.keyboard.press('Alt+ArrowRight');
    await said('Talk is now on Saturday 6 March');
    isHeld = false;
    reads[1]?.();
    await event(/^Talk Saturday 6 March/).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  // Also from a time that is not on a line of the hours.
  test.each([
    ['10:20', 3],
    ['10:15', 26],
    ['10:00', 12],
    ['10:00', 3],
  ])('an event at %s that is held %i pixels below its start keeps that distance', async (time, below) => {
    const times = `start: { dateTime: "2027-03-03T${time}:00+01:00" }, end: { dateTime: "2027-03-03T12:00:00+01:00" }`;
    await demo.ask(
      demoUser,
      `mutation { patchEvent(calendarId: "primary", eventId: "talk0", event: { ${times} }) { id } }`,
    );
    await event(new RegExp(`^Talk Wednesday 3 March, ${time} – 12:00`)).waitFor();
    const hour = (await at(moves, '11:00')).y - (await at(moves, '10:00')).y;
    const column = (await at('2027-03-04')).x - (await at('2027-03-03')).x;
    const [anHourLater, anHourEarlier] = [time.replace('10', '11'), time.replace('10', '09')];
    for (const [days, hours, to] of [
      [1, 0, `Thursday 4 March, ${time}`],
      [-1, 1, `Wednesday 3 March, ${anHourLater}`],
      [-1, -1, `Tuesday 2 March, ${time}`],
      [1, 0, `Wednesday 3 March, ${time}`],
      [0, -1, `Wednesday 3 March, ${anHourEarlier}`],
      [0, 1, `Wednesday 3 March, ${time}`],
    ] as const) {
      await event(/^Talk/).hover();
      const { x, y } = await boxOf(event(/^Talk/));
      await drag({ x: x + 30, y: y + below }, async () => ({
        x: x + 30 + days * column,
        y: y + below + hours * hour,
      }));
      await page.getByRole('status').getByText(`Talk is now on ${to} –`).waitFor();
    }
  });

  test('Escape ends a drag of an event, of its end, or over empty hours, and nothing is stored', async () => {
    const before = await stored('talk0');
    const sent: string[] = [];
    page.on(
      'request',
      (request) => request.postData()?.includes('mutation') && sent.push(request.postData() ?? ''),
    );
    const { x, y, height } = await boxOf(event(/^Talk/));
    const empty = await at(moves, '14:00');
    const later = () => at('2027-03-03', '14:00');
    const below = () => at(moves, '16:00');
    for (const [from, to] of [
      [{ x: x + 30, y: y + 8 }, later],
      [{ x: x + 30, y: y + height - 2 }, later],
      [empty, below],
    ] as const) {
      await press(from, to);
      await page.keyboard.press('Escape');
      await page.locator('.moving, .selected').waitFor({ state: 'detached' });
      await page.mouse.up();
      expect([await boxOf(event(/^Talk/)), await page.getByRole('dialog').count()]).toEqual([
        expect.objectContaining({ x, y, height }),
        0,
      ]);
    }
    expect([sent, await stored('talk0')]).toEqual([[], before]);
    // And the next drag is one again.
    await drag(empty, below);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await closed(page);
  });

  test('a double click on an empty hour and on an empty day begins a new event there', async () => {
    const hour = await at(moves, '15:00');
    await page.mouse.dblclick(hour.x, hour.y);
    const values = async (): Promise<string[]> =>
      Promise.all(
        ['Start date', 'Start time', 'End time'].map((label) => page.getByLabel(label).inputValue()),
      );
    expect(await values()).toEqual([moves, '15:00', '16:00']);
    await page.keyboard.press('Escape');
    await closed(page);
    await page.getByRole('button', { name: 'month', exact: true }).click();
    const day = await boxOf(page.locator('[data-date="2027-03-20"]'));
    await page.mouse.dblclick(day.x + 30, day.y + 60);
    expect(await page.getByLabel('Start date').inputValue()).toBe('2027-03-20');
    expect(await page.getByLabel('All day').isChecked()).toBe(true);
  });

  test('a move that is refused is taken back, and said', async () => {
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
    await event(/^Talk/).press('Alt+ArrowDown');
    await page
      .getByRole('status', { name: 'Notices' })
      .getByText('“Talk” stays where it was. Not today.')
      .waitFor();
    await event(/^Talk Wednesday 3 March, 10:00/).waitFor();
    await drag(await grip(/^Talk/), () => at('2027-03-05', '15:00'));
    await event(/^Talk Wednesday 3 March, 10:00/).waitFor();
  });
});
