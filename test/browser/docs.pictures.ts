import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { demoSeed } from '../harness.ts';
import { openEditor, waitForLive, startDemo, type Demo } from './demo.harness.ts';

const imagePath = (name: string): string =>
  fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url));
/** A fixed time in the week of the seed, so that pictures change with the page only. */
const now = new Date('2026-12-02T10:40:00+01:00');
const maxPictureBytes = 200_000;

async function takePicture(target: Page | Locator, name: string): Promise<void> {
  const path = imagePath(name);
  const previousPicture = existsSync(path) ? readFileSync(path) : undefined;
  const picture = await target.screenshot({ path, animations: 'disabled', caret: 'hide' });
  console.info(
    `${name}.png: ${picture.length} bytes, ${previousPicture?.equals(picture) ? 'the same as before' : 'changed'}`,
  );
  expect(statSync(path).size).toBeLessThanOrEqual(maxPictureBytes);
}

/** Creates the pictures of the docs, by `npm run docs:pictures`. No test. */
describe('the pictures in docs/images', () => {
  let demo: Demo;
  let page: Page;
  beforeAll(async () => {
    demo = await startDemo(demoSeed);
    ({ page } = await demo.browser.visit('about:blank'));
    await page.clock.setFixedTime(now);
    await page.goto(`${demo.address}/demo`);
    await waitForLive(page);
    await page.getByRole('button', { name: /^Team meeting/ }).waitFor();
  });
  afterAll(() => demo?.stop());

  test('demo: the page with a week', async () => {
    await takePicture(page, 'demo');
  });

  test('explorer: a patch and its result', async () => {
    const { page: explorerPage } = await demo.browser.visit(`${demo.address}/explorer`);
    await explorerPage.getByText('(Send mutation PatchEvent)').click();
    const summary = '"summary": "Team meeting, moved to the large room"';
    await explorerPage.locator('app-query-result .cm-content').getByText(summary).waitFor();
    await takePicture(explorerPage, 'explorer');
  });

  test('conflict: two versions of an event, and the choice between them', async () => {
    await openEditor(page.getByRole('button', { name: /^Design review/ }));
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
    await takePicture(page.getByRole('dialog'), 'conflict');
  });
});
