import { describeInChromium } from './chromium.ts';
import { startDemo, type Demo } from './demo.harness.ts';

describeInChromium('the page at /graphql in a browser without the internet', () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo();
  });
  afterAll(() => demo?.stop());

  test('holds nothing that its own policy refuses, and leads to the explorer', async () => {
    const { address, browser } = demo;
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
