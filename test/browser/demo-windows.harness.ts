import type { Locator, Page } from 'playwright-core';
import { dayOfWeek } from '../../src/seed/demo-data.ts';
import { live, startDemo } from './demo.harness.ts';

export type Windows = Awaited<ReturnType<typeof startWindows>>;

/** Called in a `describe`: the windows of all its tests, opened anew for each. After a test nothing may have gone wrong. */
export function useWindows(onStart: (windows: Windows) => unknown): Windows {
  const windows = {} as Windows;
  beforeAll(async () => onStart(Object.assign(windows, await startWindows())));
  beforeEach(() => windows.open());
  afterEach(() => expect(windows.faults()).toEqual([]));
  afterAll(() => windows.stop());
  return windows;
}

/** A demo gateway and two windows of Alice's with its page. */
async function startWindows() {
  const demo = await startDemo();
  const [here, there] = await Promise.all([
    demo.browser.visit('about:blank'),
    demo.browser.visit('about:blank'),
  ]);
  return {
    ...demo,
    here,
    there,
    /** Opens the page in both windows. */
    async open() {
      await Promise.all(
        [here, there].map(async ({ page }) => {
          await page.unrouteAll();
          await page.setViewportSize({ width: 1280, height: 800 });
          await page.goto(`${demo.address}/demo`);
          await live(page);
        }),
      );
    },
    /** What went wrong in them since it was asked for. */
    faults: () => [here, there].flatMap(({ faults, outside }) => [...faults.splice(0), ...outside.splice(0)]),
  };
}

const now = Date.now();
/** A day of this week, so many after its Monday; `spoken`: as the page reads it out. */
export const day = (afterMonday: number): string => dayOfWeek(now, 'Europe/Berlin', afterMonday);
export const spoken = (afterMonday: number): string =>
  new Intl.DateTimeFormat('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  }).format(new Date(day(afterMonday)));

/** An event in the view, by its title, and its day and hours where these matter. */
export const eventNamed = (page: Page, title: string, afterMonday?: number, hours = ''): Locator =>
  page
    .getByRole('button', {
      name: new RegExp(`^${title} ${afterMonday === undefined ? '' : `${spoken(afterMonday)}, ${hours}`}`),
    })
    .first();
export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

/** Answers the next requests to the gateway in its place. */
export async function refuse(
  page: Page,
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const body = JSON.stringify({
    errors: [{ message, extensions: { code, reason: code, issues: [], requestId: '1' } }],
  });
  await page.route('**/graphql', (route) =>
    route.fulfill({ status, headers, contentType: 'application/graphql-response+json', body }),
  );
}

/** The gateway gets the next request whose body has this in it, and its answer is lost. */
export async function loseAnswer(page: Page, of: string): Promise<void> {
  let lost = false;
  await page.route('**/graphql', async (route) => {
    if (lost || !route.request().postData()?.includes(of)) return route.fallback();
    lost = true;
    await route.fetch();
    await route.abort('connectionreset');
  });
}
