import type { Page } from 'playwright-core';
import { describeInChromium, type Visit } from './chromium.ts';
import { eventNamed, press, useWindows } from './demo-windows.harness.ts';
import { live } from './demo.harness.ts';

const badge = (page: Page, text: string): Promise<void> => page.getByText(text, { exact: true }).waitFor();
const connectionFaults = /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_RESET|ERR_NETWORK_CHANGED|ERR_FAILED/;

describeInChromium('the demo page and its connection', () => {
  let here: Visit;
  let there: Visit;
  useWindows((windows) => ({ here, there } = windows));
  /** Ends a test during which requests failed on purpose. */
  const ignoreConnectionFaults = (): void => {
    expect(here.faults.splice(0).filter((fault) => !connectionFaults.test(fault))).toEqual([]);
  };

  test('a calendar says Offline at once without a network, and reads what it missed afterwards', async () => {
    const { page } = here;
    await page.context().setOffline(true);
    await badge(page, 'Offline');
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
    await eventNamed(there.page, 'Design review', 2).press('Alt+ArrowDown');
    await eventNamed(there.page, 'Design review', 2, '14:15 – 15:45').waitFor();
    await page.context().setOffline(false);
    await live(page);
    await eventNamed(page, 'Design review', 2, '14:15 – 15:45').waitFor();
    ignoreConnectionFaults();
  });

  test('a stream that breaks with a network is Offline, Connecting… during another try, and Live again', async () => {
    const { page } = here;
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let tries = 0;
    await page.route('**/graphql/stream', async (route) => {
      tries += 1;
      if (tries === 1) return route.abort('connectionreset');
      await held;
      return route.fallback();
    });
    await page.reload();
    await badge(page, 'Offline');
    await badge(page, 'Connecting…');
    release?.();
    await live(page);
    await page.unrouteAll();
    ignoreConnectionFaults();
  });

  test('messages that were published while a window was offline come when it is back', async () => {
    for (const { page } of [here, there]) {
      await page.getByRole('link', { name: 'Storage' }).click();
      await live(page);
    }
    const messages = here.page.getByRole('list', { name: 'Messages of photos' }).getByRole('listitem');
    await press(there.page, 'Publish');
    await messages.first().waitFor();
    await here.page.context().setOffline(true);
    await badge(here.page, 'Offline');
    await press(there.page, 'Publish');
    await there.page.getByText('The change caused').waitFor();
    await here.page.context().setOffline(false);
    await live(here.page);
    await messages.nth(1).waitFor();
    ignoreConnectionFaults();
  });
});
