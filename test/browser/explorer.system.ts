import type { FastifyInstance } from 'fastify';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { describeInChromium, startChromium, type Browser } from './chromium.ts';

describeInChromium('the explorer in a browser without the internet', () => {
  let app: FastifyInstance;
  let browser: Browser;
  let address: string;
  let demoToken: string | undefined;
  beforeAll(async () => {
    ({ app, demoToken } = await compose(readConfig({}), { logLevel: 'silent', processMetrics: false }));
    address = await app.listen({ port: 0, host: '127.0.0.1' });
    browser = await startChromium();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  test('runs patchEvent by a click, shows a broken rule with its path by keys, and asks nobody else', async () => {
    const { page, faults, outside } = await browser.visit(address);
    expect(new URL(page.url()).pathname).toBe('/explorer');
    const result = page.locator('app-query-result .cm-content');

    await page.getByText('(Send mutation PatchEvent)').click();
    await result.getByText('"summary": "Team meeting, moved to the large room"').waitFor();

    await page.getByText('Variables').click();
    await page.locator('app-variables-editor .cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{ "event": { "reminders": { "overrides": [{ "method": "popup", "minutes": -1 }] } } }');
    await page.keyboard.press('Control+Enter');
    await result.getByText('"BAD_USER_INPUT"').waitFor();
    const answer = (await result.innerText()).replaceAll(/\s/g, '');
    expect(answer).toContain('"path":["event","reminders","overrides",0,"minutes"]');

    // What changes before the stream is open, it does not tell of.
    const opened = page.waitForResponse((response) => response.url().endsWith('/graphql/stream'));
    const subscribe = page.getByText('(Send subscription CalendarChanged)');
    // The editor has the lines near to those in view alone.
    await page.locator('app-query-editor .cm-scroller').first().hover();
    for (let steps = 0; steps < 40 && (await subscribe.count()) === 0; steps += 1) {
      await page.mouse.wheel(0, 200);
      await page.waitForTimeout(50);
    }
    await subscribe.click();
    await opened;
    // By somebody else: an answer to the page itself would take the place of the event.
    await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demoToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Elsewhere" }) { id } }' }),
    });
    await result.getByText('"changedAt"').waitFor();

    expect(faults).toEqual([]);
    expect(outside).toEqual([]);
  }, 60_000);
});
