import { describeInChromium, type Visit } from './chromium.ts';
import { dateInThisWeek, spokenDay, useWindows } from './demo-windows.harness.ts';
import {
  findViolations,
  chooseScope,
  waitForClosed,
  openEditor,
  eventOnDay,
  waitForLive,
  pressSave,
} from './demo.harness.ts';

describeInChromium('the demo page in two windows', () => {
  let here: Visit;
  let there: Visit;
  useWindows((windows) => ({ here, there } = windows));

  test('shows a move by keyboard or pointer in the other window', async () => {
    await eventOnDay(here.page, dateInThisWeek(1), /^Team meeting/).press('Alt+ArrowDown');
    await eventOnDay(
      there.page,
      dateInThisWeek(1),
      new RegExp(`^Team meeting ${spokenDay(1)}, 10:15 – 11:15`),
    ).waitFor();
    // The focus moves along.
    for (const [key, date] of [
      ['ArrowRight', dateInThisWeek(2)],
      ['ArrowLeft', dateInThisWeek(1)],
    ] as const) {
      await here.page.keyboard.press(`Alt+${key}`);
      await here.page.locator(`[data-date="${date}"] [data-event]:focus`).waitFor();
    }
    await eventOnDay(there.page, dateInThisWeek(1), /^Team meeting/).waitFor();

    const box = await eventOnDay(here.page, dateInThisWeek(2), /^Design review/).boundingBox();
    const column = await here.page
      .locator(`[data-date="${dateInThisWeek(3)}"]`)
      .last()
      .boundingBox();
    if (!box || !column) throw new Error('The event is not there.');
    // Drags to the next day, and down by about an hour.
    await here.page.mouse.move(box.x + 20, box.y + 20);
    await here.page.mouse.down();
    await here.page.mouse.move(box.x + 20 + column.width, box.y + 20 + 48, { steps: 4 });
    await here.page.mouse.up();
    await eventOnDay(
      there.page,
      dateInThisWeek(3),
      new RegExp(`^Design review ${spokenDay(3)}, 15:00 – 16:30`),
    ).waitFor();
  });

  test('renames one instance, and deletes and restores another, without the rest of the series', async () => {
    const { page } = here;
    await openEditor(eventOnDay(page, dateInThisWeek(2), /^Stand-up/), 'Enter');
    await page.getByLabel('Title').fill('Stand-up with cake');
    await page.keyboard.press('Enter');
    await chooseScope(page, 'This event', 'Change');
    await waitForClosed(page);
    // The focus returns to where it was before the form.
    await page.locator(`[data-date="${dateInThisWeek(2)}"] [data-event]:focus`).waitFor();
    await eventOnDay(there.page, dateInThisWeek(2), /^Stand-up with cake/).waitFor();

    await eventOnDay(page, dateInThisWeek(4), /^Stand-up \S+ \d/).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await chooseScope(page, 'This event', 'Delete');
    await eventOnDay(there.page, dateInThisWeek(4), /^Stand-up/).waitFor({ state: 'detached' });
    await eventOnDay(there.page, dateInThisWeek(1), /^Stand-up \S+ \d/).waitFor();
    const notice = page.locator('.notice', { hasText: 'deleted' });
    await notice.getByRole('button', { name: 'Undo' }).click();
    await eventOnDay(there.page, dateInThisWeek(4), /^Stand-up \S+ \d/).waitFor();
  });

  test('reports each broken rule at its field and focuses the first', async () => {
    const { page } = here;
    await openEditor(eventOnDay(page, dateInThisWeek(1), /^Team meeting/));
    await page.getByLabel('End time').fill('09:00');
    await page.getByRole('button', { name: 'Add a guest' }).click();
    await page.getByLabel('E-mail of guest 5').fill('nobody');
    await page.getByLabel('Use calendar default').uncheck();
    await page.getByRole('button', { name: 'Add a reminder' }).click();
    await page.getByLabel('Minutes before, reminder 1').fill('-1');
    await pressSave(page);
    await page.getByText('Not saved. Please fix 3 fields.').waitFor();
    for (const label of ['End time', 'E-mail of guest 5', 'Minutes before, reminder 1']) {
      const field = page.getByLabel(label);
      expect([label, await field.getAttribute('aria-invalid')]).toEqual([label, 'true']);
      const descriptionIds = (await field.getAttribute('aria-describedby')) ?? '';
      const error = page.locator(`[id="${descriptionIds.split(' ').at(-1)}"]`);
      expect([label, await error.innerText()]).toEqual([label, expect.stringMatching(/\S/)]);
    }
    expect(
      await page
        .getByLabel('End time')
        .evaluate((element) => element === element.ownerDocument.activeElement),
    ).toBe(true);
    expect(await findViolations(page)).toEqual([]);

    await page.getByLabel('End time').fill('12:00');
    await page.getByLabel('E-mail of guest 5').fill('erin@example.com');
    await page.getByLabel('Minutes before, reminder 1').fill('5');
    await page.getByLabel('How reminder 1 comes').selectOption('sms');
    await pressSave(page);
    await waitForClosed(page);
    // An accepted but unapplied field is reported by a notice.
    await page.getByRole('status', { name: 'Notices' }).getByText('reminders.overrides').waitFor();
  });

  test('lets the later of two conflicting windows compare, and take theirs or keep its own', async () => {
    const title = there.page.getByLabel('Title');
    const renameCall = async (name: string): Promise<void> => {
      await openEditor(eventOnDay(here.page, dateInThisWeek(4), /^Call/));
      await here.page.getByLabel('Title').fill(name);
      await pressSave(here.page);
      await waitForClosed(here.page);
    };
    await openEditor(eventOnDay(there.page, dateInThisWeek(4), /^Call with the partners/));
    await renameCall('Call one');
    await title.fill('Call of mine');
    await there.page.getByLabel('Place').fill('Room 9');
    await pressSave(there.page);
    await there.page.getByRole('heading', { name: 'Somebody else changed this event meanwhile' }).waitFor();
    expect(await there.page.getByRole('row', { name: /^Title/ }).innerText()).toMatch(
      /Call one\s+Call of mine/,
    );
    expect(await findViolations(there.page)).toEqual([]);
    await there.page.getByRole('button', { name: 'Take theirs' }).click();
    expect([await title.inputValue(), await there.page.getByLabel('Place').inputValue()]).toEqual([
      'Call one',
      '',
    ]);

    await renameCall('Call two');
    await there.page.getByLabel('Place').fill('Room 9');
    await pressSave(there.page);
    await there.page.getByRole('button', { name: 'Keep mine' }).click();
    await eventOnDay(
      here.page,
      dateInThisWeek(4),
      new RegExp(`^Call two ${spokenDay(4)}, 17:00 – 18:00 Room 9`),
    ).waitFor();
  });

  test('shows a published change as a message, and creates, refuses and deletes subscriptions', async () => {
    await Promise.all(
      [here, there].map(async ({ page }) => {
        await page.getByRole('link', { name: 'Storage' }).click();
        await waitForLive(page);
      }),
    );
    await here.page.getByRole('button', { name: 'Publish' }).click();
    await there.page
      .getByRole('list', { name: 'Messages of photos' })
      .getByText('albums/summer.jpg')
      .first()
      .waitFor();
    expect(await findViolations(there.page)).toEqual([]);

    const { page } = here;
    await page.getByLabel('Topic', { exact: true }).fill('nonsense');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.locator('[aria-invalid]').waitFor();
    expect(await page.getByLabel('Topic', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Topic', { exact: true }).fill('projects/demo-project/topics/extra');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('//pubsub.googleapis.com/projects/demo-project/topics/extra').waitFor();
    await page.getByRole('button', { name: 'Delete subscription 2' }).click();
    await page.getByRole('button', { name: 'Delete subscription', exact: true }).click();
    await page
      .getByText('//pubsub.googleapis.com/projects/demo-project/topics/extra', { exact: true })
      .waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Calendar' }).click();
    await waitForLive(page);
    expect(await findViolations(page)).toEqual([]);
  });
});
