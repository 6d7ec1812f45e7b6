import type { Locator, Page } from 'playwright-core';
import { dateInWeek } from '../../src/seed/demo-data.ts';
import { waitForLive, startDemo } from './demo.harness.ts';

/** Two windows of one user: tests act in the window `here`, and see the effect in the window `there`. */
export type Windows = Awaited<ReturnType<typeof startWindows>>;

/** Opens two windows for each test of a `describe`. A test fails if the windows had faults. */
export function useWindows(onStart: (windows: Windows) => unknown): Windows {
  const windows = {} as Windows;
  beforeAll(async () => onStart(Object.assign(windows, await startWindows())));
  beforeEach(() => windows.open());
  afterEach(() => expect(windows.takeFaults()).toEqual([]));
  afterAll(() => windows.stop());
  return windows;
}

/** Starts a demo gateway and two windows of Alice's. */
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
    /** Loads the page in both windows. */
    async open() {
      await Promise.all(
        [here, there].map(async ({ page }) => {
          await page.unrouteAll();
          // Input that a test left behind would open its form again.
          if (page.url().startsWith(demo.address)) await page.evaluate('sessionStorage.clear()');
          await page.setViewportSize({ width: 1280, height: 800 });
          await page.goto(`${demo.address}/demo`);
          await waitForLive(page);
        }),
      );
    },
    /** Returns the faults of both windows since the last call. */
    takeFaults: () =>
      [here, there].flatMap(({ faults, outsideRequests }) => [
        ...faults.splice(0),
        ...outsideRequests.splice(0),
      ]),
  };
}

const now = Date.now();
/** Returns the date of a day of this week, counted from Monday. */
export const dateInThisWeek = (daysAfterMonday: number): string =>
  dateInWeek(now, 'Europe/Berlin', daysAfterMonday);
/** Formats the date of a day of this week as in the accessible names of events. */
export const spokenDay = (daysAfterMonday: number): string =>
  new Intl.DateTimeFormat('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  }).format(new Date(dateInThisWeek(daysAfterMonday)));

/** Locates an event in the view by its title, and optionally by day and hours. */
export const eventNamed = (page: Page, title: string, daysAfterMonday?: number, hours = ''): Locator =>
  page
    .getByRole('button', {
      name: new RegExp(
        `^${title} ${daysAfterMonday === undefined ? '' : `${spokenDay(daysAfterMonday)}, ${hours}`}`,
      ),
    })
    .first();
export const pressButton = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

/** Answers requests to the gateway with an error. */
export async function refuseRequests(
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

/** Lets the next request of an operation reach the gateway, but drops its response. */
export async function loseNextResponse(page: Page, operation: string): Promise<void> {
  let isLost = false;
  await page.route('**/graphql', async (route) => {
    if (isLost || !route.request().postData()?.includes(operation)) return route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort('connectionreset');
  });
}
