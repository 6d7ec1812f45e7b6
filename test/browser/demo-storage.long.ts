import type { Page } from 'playwright-core';
import { describeInChromium, type Visit } from './chromium.ts';
import { eventNamed, pressButton, useWindows } from './demo-windows.harness.ts';
import { findViolations, waitForClosed, waitForLive } from './demo.harness.ts';

const waitForBadge = (page: Page, text: string): Promise<void> =>
  page.getByText(text, { exact: true }).waitFor();
const connectionFaults = /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_RESET|ERR_NETWORK_CHANGED|ERR_FAILED/;

describeInChromium('the demo page and its connection', () => {
  let here: Visit;
  let there: Visit;
  useWindows((windows) => ({ here, there } = windows));
  /** Ends a test during which requests failed on purpose. */
  const ignoreConnectionFaults = (): void => {
    expect(here.faults.splice(0).filter((fault) => !connectionFaults.test(fault))).toEqual([]);
  };

  test('a calendar says Offline at once without a network, refuses changes, and reads what it missed afterwards', async () => {
    const { page } = here;
    await page.context().setOffline(true);
    await waitForBadge(page, 'Offline');
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
    await eventNamed(page, 'Team meeting').press('Alt+ArrowDown');
    await page.getByText('You are offline. Nothing was saved; try again when you are online.').waitFor();
    await eventNamed(there.page, 'Design review', 2).press('Alt+ArrowDown');
    await eventNamed(there.page, 'Design review', 2, '14:15 – 15:45').waitFor();
    await page.context().setOffline(false);
    await waitForLive(page);
    await eventNamed(page, 'Design review', 2, '14:15 – 15:45').waitFor();
    ignoreConnectionFaults();
  });

  test('a stream that breaks with a network is Offline, Connecting… during another try, and Live again', async () => {
    const { page } = here;
    let releaseStream: (() => void) | undefined;
    const whenReleased = new Promise<void>((resolve) => (releaseStream = resolve));
    let attemptCount = 0;
    await page.route('**/graphql/stream', async (route) => {
      attemptCount += 1;
      if (attemptCount === 1) return route.abort('connectionreset');
      await whenReleased;
      return route.fallback();
    });
    await page.reload();
    await waitForBadge(page, 'Offline');
    await waitForBadge(page, 'Connecting…');
    releaseStream?.();
    await waitForLive(page);
    await page.unrouteAll();
    ignoreConnectionFaults();
  });

  test('messages that were published while a window was offline appear when it is online again', async () => {
    for (const { page } of [here, there]) {
      await page.getByRole('link', { name: 'Storage' }).click();
      await waitForLive(page);
    }
    const messages = here.page.getByRole('list', { name: 'Messages of photos' }).getByRole('listitem');
    await pressButton(there.page, 'Publish');
    await messages.first().waitFor();
    await here.page.context().setOffline(true);
    await waitForBadge(here.page, 'Offline');
    await pressButton(there.page, 'Publish');
    await there.page.getByText('The change caused').waitFor();
    await here.page.context().setOffline(false);
    await waitForLive(here.page);
    await messages.nth(1).waitFor();
    ignoreConnectionFaults();
  });
});

describeInChromium('the storage view', () => {
  let here: Visit;
  let there: Visit;
  let address: string;
  const windows = useWindows((startedWindows) => ({ here, there, address } = startedWindows));
  const openStorage = async (page: Page): Promise<void> => {
    await page.goto(`${address}/demo#storage`);
    await waitForLive(page);
  };
  const waitUntilGone = (page: Page, text: string): Promise<void> =>
    page.getByText(text).first().waitFor({ state: 'detached' });
  const dispatchFocus = (page: Page): Promise<boolean> => page.evaluate("dispatchEvent(new Event('focus'))");

  test('a bucket comes and goes, at once in each window of the browser, and in another browser with the focus', async () => {
    const secondTab = await here.page.context().newPage();
    for (const page of [here.page, secondTab, there.page]) await openStorage(page);
    const { page } = here;
    await pressButton(page, 'New bucket');
    await pressButton(page, 'Create');
    await page.getByLabel('Name', { exact: true }).and(page.locator('[aria-invalid]')).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('demo-extra');
    await pressButton(page, 'Create');
    await waitForClosed(page);
    await page.getByRole('heading', { name: 'Subscriptions of demo-extra' }).waitFor();
    const bucketButton = { name: 'demo-extra', exact: true };
    await secondTab.getByRole('button', bucketButton).waitFor();
    expect(await there.page.getByRole('button', bucketButton).count()).toBe(0);
    await dispatchFocus(there.page);
    await there.page.getByRole('button', bucketButton).waitFor();

    await pressButton(page, 'Delete bucket demo-extra');
    expect(await findViolations(page)).toEqual([]);
    await pressButton(page, 'Cancel');
    await waitForClosed(page);
    await pressButton(page, 'Delete bucket demo-extra');
    await pressButton(page, 'Delete bucket');
    await waitForClosed(page);
    for (const tab of [page, secondTab])
      await tab.getByRole('button', bucketButton).waitFor({ state: 'detached' });
    // The next bucket of the list is selected.
    await page.getByRole('heading', { name: 'Subscriptions of demo-photos' }).waitFor();
    await secondTab.close();
  });

  test('the project is changeable, and a requester-pays bucket asks whom to bill', async () => {
    const { page } = here;
    await openStorage(page);
    await pressButton(page, 'demo-archive');
    await page.getByText('demo-archive is a requester-pays bucket. Enter the project to bill.').waitFor();
    await page.getByLabel('Project to bill', { exact: true }).and(page.locator('input')).fill('demo-project');
    await page.keyboard.press('Enter');
    await page.getByText('Object archived (OBJECT_ARCHIVE)').first().waitFor();
    await page.getByLabel('Project', { exact: true }).and(page.locator('input')).fill('nothing-here');
    await page.keyboard.press('Enter');
    await page.getByText('You manage no buckets in this project.').waitFor();
  });

  test('times have the clock and the order of dates of the reader', async () => {
    const { page, faults } = await windows.browser.visit(`${address}/demo#storage`, 'en-US');
    await pressButton(page, 'New bucket');
    await page.getByLabel('Name', { exact: true }).fill('demo-dated');
    await pressButton(page, 'Create');
    const creationTime = page.locator('.buckets time').first();
    await creationTime.waitFor();
    expect(await creationTime.innerText()).toMatch(
      /^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d:\d\d\s[AP]M \(.+\)$/,
    );
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('a subscription with several attributes shows in each window, with full names and readable times', async () => {
    const otherTab = await here.page.context().newPage();
    for (const page of [here.page, otherTab, there.page]) await openStorage(page);
    const { page } = here;
    const topic =
      'projects/demo-project/topics/a-topic-whose-name-is-too-long-for-any-line-of-a-narrow-window';
    await page.getByLabel('Topic', { exact: true }).fill('photos');
    await pressButton(page, 'Subscribe');
    await page.getByText('Enter a topic such as projects/my-project/topics/photos.').waitFor();
    await page.getByLabel('Topic', { exact: true }).fill(topic);
    await page.getByLabel('Object created (OBJECT_FINALIZE)').check();
    for (const [number, name, value] of [
      [1, 'team', 'photos'],
      [2, 'team', 'storage'],
    ] as const) {
      await pressButton(page, 'Add an attribute');
      await page.getByLabel(`Name ${number}`).fill(name);
      await page.getByLabel(`Value ${number}`).fill(value);
    }
    await pressButton(page, 'Subscribe');
    await page.getByText('Two attributes have this name. Rename or remove one.').first().waitFor();
    await page.getByLabel('Name 2').fill('purpose');
    await pressButton(page, 'Subscribe');
    const findEntry = (window: Page) =>
      window.getByRole('listitem').filter({ hasText: `//pubsub.googleapis.com/${topic}` });
    await findEntry(page).waitFor();
    await findEntry(otherTab).waitFor();
    expect(await findEntry(page).innerText()).toMatch(
      /Object created \(OBJECT_FINALIZE\)\s+team: photos\s+purpose: storage/,
    );
    expect(await findEntry(there.page).count()).toBe(0);
    await dispatchFocus(there.page);
    await findEntry(there.page).waitFor();

    await pressButton(page, 'Publish');
    const message = page.getByRole('list', { name: 'Messages of' }).getByRole('listitem').first();
    await message.waitFor();
    expect(await message.innerText()).toMatch(
      /Object created \(OBJECT_FINALIZE\) \d{1,2} \w+ \d{4}, \d\d:\d\d:\d\d \(just now\)/,
    );
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findViolations(page)).toEqual([]);
      for (const width of [390, 820, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        expect(
          await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
        ).toBe(0);
      }
    }
    await page
      .getByRole('button', { name: /^Delete subscription/ })
      .last()
      .click();
    await page
      .getByRole('heading', {
        name: 'Delete the subscription to “a-topic-whose-name-is-too-long-for-any-line-of-a-narrow-window”?',
      })
      .waitFor();
    await pressButton(page, 'Delete subscription');
    await waitUntilGone(otherTab, topic);
    await otherTab.close();
  });

  test('a change is published with errors in plain words, and a note if no subscription matches, until there is one', async () => {
    const { page } = here;
    await openStorage(page);
    await pressButton(page, 'demo-drafts');
    await page.getByRole('heading', { name: 'Subscriptions of demo-drafts' }).waitFor();
    const publishForm = page.getByRole('form', { name: 'Publish a change' });
    await publishForm.getByLabel('Object name').fill('');
    await publishForm.getByLabel('Generation').fill('one');
    await pressButton(page, 'Publish');
    await publishForm.getByText('Enter the name of an object, at most 1024 bytes.').waitFor();
    await publishForm.getByText('Enter a whole number.').waitFor();
    await publishForm.getByLabel('Object name').fill('drafts/1.txt');
    await publishForm.getByLabel('Generation').fill('');
    await pressButton(page, 'Publish');
    const note = page.locator('.notice.info', { hasText: 'No subscription matches this change.' });
    await note.waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('Topic', { exact: true }).fill('projects/demo-project/topics/drafts');
    await pressButton(page, 'Subscribe');
    await page.getByText('Subscription created.').waitFor();
    expect(await note.count()).toBe(0);
  });
});
