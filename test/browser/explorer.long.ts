import { eventually } from '../eventually.ts';
import { describeInChromium } from './chromium.ts';
import { startDemo } from './demo.harness.ts';
import { useForAll } from '../use-resource.ts';

describeInChromium('the explorer in a browser without Internet', () => {
  const demo = useForAll(() => startDemo());

  test('shows docs, variables, operation and result at once in a tab for each resource, and runs its first operation', async () => {
    const { page, faults, outsideRequests } = await demo.browser.visit(`${demo.address}/explorer`);
    const docs = page.locator('app-doc-viewer:not(.hide-doc)');
    const tabs = page.locator('app-window-switcher-item');
    const panes = [
      'app-query-editor .query-editor__input',
      'app-variables-editor',
      'app-query-result',
      'app-doc-viewer',
    ];
    const tabContents: readonly [tab: string, operation: string, variable: string, expectedText: string][] = [
      ['Events', 'mutation PatchEvent', '"event"', '"Team meeting, moved to the large room"'],
      ['Calendars', 'query Viewer', '"weekStart"', '"Stand-up"'],
      ['Notifications', 'mutation InsertNotification', '"notification"', '"event_types"'],
      ['Buckets', 'query Buckets', '"newBucket"', '"demo-archive"'],
      ['Channels', 'mutation WatchCalendar', '"channel"', '"notOffered"'],
    ];
    for (const [tab, operation, variable, answer] of tabContents) {
      // The first tab is open already.
      if (tab !== 'Events') await tabs.getByText(tab, { exact: true }).click();
      await docs.getByText('Mutation', { exact: true }).waitFor();
      await page.locator('app-variables-editor').getByText(variable, { exact: true }).waitFor();
      for (const pane of panes) {
        await eventually(async () => {
          const {
            x = 0,
            y = 0,
            width = 0,
            height = 0,
          } = (await page.locator(pane).first().boundingBox()) ?? {};
          // The pane is inside the window of 1280 × 800 pixels.
          expect([pane, width >= 350, height >= 250, x + width <= 1280, y + height <= 800]).toEqual([
            pane,
            true,
            true,
            true,
            true,
          ]);
        });
      }
      await page.getByText(`(Send ${operation})`).click();
      await page.locator('app-query-result .cm-content').getByText(answer).first().waitFor();
    }
    expect(await tabs.count()).toBe(tabContents.length);

    await docs.getByText('Mutation', { exact: true }).click();
    await docs.getByText('insertNotification', { exact: true }).waitFor();
    // Docs closed by the user stay closed.
    await page.getByText('Docs', { exact: true }).click();
    await docs.waitFor({ state: 'hidden' });
    for (const tab of ['Events', 'Channels']) await tabs.getByText(tab, { exact: true }).click();
    await page.getByText('(Send mutation WatchCalendar)').waitFor();
    expect(await docs.isVisible()).toBe(false);

    expect(faults).toEqual([]);
    expect(outsideRequests).toEqual([]);
  });

  test('runs patchEvent by click and by keys, shows a broken rule with its path, and sends no request elsewhere', async () => {
    const { page, faults, outsideRequests } = await demo.browser.visit(`${demo.address}/explorer`);
    expect(new URL(page.url()).pathname).toBe('/explorer');
    const result = page.locator('app-query-result .cm-content');

    await page.getByText('(Send mutation PatchEvent)').click();
    await result.getByText('"summary": "Team meeting, moved to the large room"').waitFor();

    await page.locator('app-variables-editor .cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(
      '{ "event": { "reminders": { "overrides": [{ "method": "popup", "minutes": -1 }] } } }',
    );
    await page.keyboard.press('Control+Enter');
    await result.getByText('"BAD_USER_INPUT"').waitFor();
    const resultText = (await result.innerText()).replaceAll(/\s/g, '');
    expect(resultText).toContain('"path":["event","reminders","overrides",0,"minutes"]');

    await page.locator('app-window-switcher').getByText('Calendars', { exact: true }).click();
    // The stream reports only changes made after it opened.
    const streamResponse = page.waitForResponse((response) => response.url().endsWith('/graphql/stream'));
    const subscribeLink = page.getByText('(Send subscription CalendarChanged)');
    // The editor renders only lines near the viewport, so scroll until the line appears; wrap around at the
    // end.
    const scroller = page.locator('app-query-editor .cm-scroller').first();
    await eventually(async () => {
      await scroller.evaluate((element) => {
        const isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 1;
        element.scrollTop = isAtEnd ? 0 : element.scrollTop + 200;
      });
      expect(await subscribeLink.count()).toBe(1);
    });
    await subscribeLink.click();
    await streamResponse;
    // Changed outside the page, whose own response would replace the event.
    await demo.ask(
      'alice@example.com',
      'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Elsewhere" }) { id } }',
    );
    await result.getByText('"changedAt"').waitFor();

    expect(faults).toEqual([]);
    expect(outsideRequests).toEqual([]);
  });
});
