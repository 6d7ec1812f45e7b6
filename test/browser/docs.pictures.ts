import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { demoSeed } from '../harness.ts';
import { live, startDemo, type Demo } from './demo.harness.ts';

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url));
/** A Wednesday morning in the week of the data, so that pictures change with the page alone. */
const now = new Date('2026-12-02T10:40:00+01:00');
const mostBytes = 200_000;

async function take(of: Page | Locator, name: string): Promise<void> {
  const path = fileOf(name);
  const before = existsSync(path) ? readFileSync(path) : undefined;
  const picture = await of.screenshot({ path, animations: 'disabled', caret: 'hide' });
  console.info(
    `${name}.png: ${picture.length} bytes, ${before?.equals(picture) ? 'the same as before' : 'changed'}`,
  );
  expect(statSync(path).size).toBeLessThanOrEqual(mostBytes);
}

/** Not a test: it makes the pictures of the pages, by `npm run docs:pictures`. */
describe('the pictures in docs/images', () => {
  let demo: Demo;
  let page: Page;
  beforeAll(async () => {
    demo = await startDemo(demoSeed);
    ({ page } = await demo.browser.visit('about:blank'));
    await page.clock.setFixedTime(now);
    await page.goto(`${demo.address}/demo`);
    await live(page);
    await page.getByRole('button', { name: /^Team meeting/ }).waitFor();
  });
  afterAll(() => demo?.stop());

  test('demo: the page with a week', async () => {
    await take(page, 'demo');
  });

  test('explorer: a patch and its result', async () => {
    const { page: explorer } = await demo.browser.visit(`${demo.address}/explorer`);
    await explorer.getByText('(Send mutation PatchEvent)').click();
    const summary = '"summary": "Team meeting, moved to the large room"';
    await explorer.locator('app-query-result .cm-content').getByText(summary).waitFor();
    await take(explorer, 'explorer');
  });

  test('conflict: two versions of an event, and the choice between them', async () => {
    await page.getByRole('button', { name: /^Design review/ }).click();
    await page.getByLabel('Title').fill('Autumn review');
    await page.getByLabel('Place').fill('Room 5');
    const event = { summary: 'Design review with Dana', start: { dateTime: '2026-12-02T14:30:00+01:00' } };
    await demo.ask(
      'alice@example.com',
      'mutation ($event: EventInput!) { patchEvent(calendarId: "primary", eventId: "review", event: $event) { id } }',
      { event },
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: /^Somebody else changed/ }).waitFor();
    await take(page.getByRole('dialog'), 'conflict');
  });
});
