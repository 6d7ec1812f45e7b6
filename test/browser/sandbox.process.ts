import type { FastifyInstance } from 'fastify';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { describeInChromium, startChromium, type Browser } from './chromium.ts';

describeInChromium('the page at /graphql in a browser without the internet', () => {
  let app: FastifyInstance;
  let browser: Browser;
  let address: string;
  beforeAll(async () => {
    ({ app } = await compose(readConfig({}), { logLevel: 'silent', processMetrics: false }));
    address = await app.listen({ port: 0, host: '127.0.0.1' });
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  test('holds nothing that its own policy refuses, and leads to the explorer', async () => {
    const { page, faults } = await browser.visit(`${address}/graphql`);
    expect(faults.filter((fault) => /content security policy/i.test(fault))).toEqual([]);
    const link = page.getByRole('link', { name: 'Explorer without internet' });
    const { x = 0, y = 0 } = (await link.boundingBox()) ?? {};
    // Its style counts: it stands in the lower right corner of the window, 1280 by 800.
    expect([x > 1000, y > 700]).toEqual([true, true]);
    await link.click();
    await page.waitForURL(`${address}/explorer`);
  });
});
