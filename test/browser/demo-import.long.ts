import type { Page } from 'playwright-core';
import { describeInChromium } from './chromium.ts';
import { pressButton, useWindows } from './demo-windows.harness.ts';
import { findViolations, waitForClosed, waitForLive } from './demo.harness.ts';

const calendarText = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'BEGIN:VEVENT',
  'UID:yoga@elsewhere.example',
  'SUMMARY:Yoga',
  'DTSTART;TZID=Europe/Berlin:20270113T180000',
  'DURATION:PT1H',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:broken@elsewhere.example',
  'DTSTART;TZID=Nowhere:20270113T190000',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n');

describeInChromium('importing files on the demo page', () => {
  let page: Page;
  const demo = useWindows(({ here }) => (page = here.page));

  const openWeek = async (): Promise<void> => {
    await page.goto(`${demo.address}/demo?view=week&date=2027-01-13`);
    await waitForLive(page);
  };
  const findYogaEvent = () =>
    page.getByRole('button', { name: /^Yoga Wednesday 13 January, 18:00 – 19:00/ }).first();

  test('a dropped file shows what it would do, and is imported', async () => {
    await openWeek();
    const droppedFile = await page.evaluateHandle(
      `(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([${JSON.stringify(calendarText)}], 'club.ics', { type: 'text/calendar' }));
        return transfer;
      })()`,
    );
    await page.locator('main').dispatchEvent('dragover', { dataTransfer: droppedFile });
    await page.locator('main').dispatchEvent('drop', { dataTransfer: droppedFile });
    await page.getByText('Events: 1 new, 1 not possible.').waitFor();
    await page.getByText(/^broken@elsewhere\.example: The time zone "Nowhere"/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await pressButton(page, 'Import');
    await waitForClosed(page);
    await page.getByText('“club.ics” was imported: 1 new, 1 not possible.').waitFor();
    await findYogaEvent().waitFor();
  });

  test('a chosen file that is no calendar is refused, and a file without changes cannot be imported', async () => {
    await openWeek();
    const chooseFile = (name: string, content: string): Promise<void> =>
      page
        .getByLabel('File to import')
        .setInputFiles({ name, mimeType: 'text/calendar', buffer: Buffer.from(content) });
    await chooseFile('notes.txt', 'Buy milk');
    await page.getByText(/^This is not iCalendar\. Line 1, column 4/).waitFor();
    await pressButton(page, 'Cancel');
    await waitForClosed(page);
    const otherText = calendarText.replaceAll('elsewhere', 'other');
    await chooseFile('club.ics', otherText);
    await page.getByText('Events: 1 new, 1 not possible.').waitFor();
    await pressButton(page, 'Import');
    await waitForClosed(page);
    await chooseFile('club.ics', otherText);
    await page.getByText('Events: 1 unchanged, 1 not possible.').waitFor();
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
  });
});
