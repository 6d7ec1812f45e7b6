import type { Page } from 'playwright-core';
import { describeInChromium } from './chromium.ts';
import { day, eventNamed, loseAnswer, press, refuse, spoken, useWindows } from './demo-windows.harness.ts';
import { barriers, choose, closed, live } from './demo.harness.ts';

const insert =
  'mutation ($on: String!, $event: EventInput!) { insertEvent(calendarId: $on, event: $event) { id } }';
const hours = (afterMonday: number, from: string, to: string) => ({
  start: { dateTime: `${day(afterMonday)}T${from}:00`, timeZone: 'Europe/Berlin' },
  end: { dateTime: `${day(afterMonday)}T${to}:00`, timeZone: 'Europe/Berlin' },
});

describeInChromium('the editor of the demo page', () => {
  let page: Page;
  let there: Page;
  const demo = useWindows((windows) => {
    page = windows.here.page;
    there = windows.there.page;
  });

  const guestsOf = async (title: string): Promise<string[]> => {
    const { events } = await demo.ask(
      'alice@example.com',
      'query ($q: String!) { events(calendarId: "primary", q: $q) { nodes { attendees { email responseStatus } } } }',
      { q: title },
    );
    return (
      (
        events as { nodes: { attendees: { email: string; responseStatus: string }[] }[] }
      ).nodes[0]?.attendees.map(({ email, responseStatus }) => `${email} ${responseStatus}`) ?? []
    );
  };

  test('guests whom two windows change at once all stay', async () => {
    for (const [window, email] of [
      [page, 'erin@example.com'],
      [there, 'frank@example.com'],
    ] as const) {
      await eventNamed(window, 'Team meeting').click();
      await press(window, 'Add a guest');
      await window.getByLabel('E-mail of guest 5').fill(email);
    }
    await press(there, 'Remove guest carol@elsewhere.example');
    await press(page, 'Save');
    await closed(page);
    await press(there, 'Save');
    await closed(there);
    expect((await guestsOf('Team meeting')).map((guest) => guest.split('@')[0])).toEqual([
      'alice',
      'bob',
      'room3',
      'erin',
      'frank',
    ]);
  });

  test('a change of one of a series is for it alone, for it and those that follow, or for all', async () => {
    const { start, end } = hours(0, '07:00', '07:30');
    await demo.ask('alice@example.com', insert, {
      on: 'primary',
      event: { summary: 'Run', start, end, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] },
    });
    const rename = async (afterMonday: number, from: string, to: string, scope: string): Promise<void> => {
      await eventNamed(page, from, afterMonday).click();
      await page.getByLabel('Title').fill(to);
      await press(page, 'Save');
      await choose(page, scope, 'Change');
      await closed(page);
    };
    await rename(1, 'Run', 'Run far', 'This event');
    await eventNamed(there, 'Run far', 1).waitFor();
    await rename(3, 'Run', 'Swim', 'This and following events');
    await eventNamed(there, 'Swim', 5).waitFor();
    await eventNamed(there, 'Run', 2).waitFor();

    // All of them, by an hour; not without an answer to the question.
    await eventNamed(page, 'Swim', 4).click();
    await page.getByLabel('Start time').fill('08:00');
    await page.getByLabel('End time').fill('08:30');
    await press(page, 'Save');
    await page.getByRole('heading', { name: 'Change a repeating event' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('Start time').inputValue()).toBe('08:00');
    await press(page, 'Save');
    await choose(page, 'All events', 'Change');
    for (const afterMonday of [3, 5]) await eventNamed(there, 'Swim', afterMonday, '08:00 – 08:30').waitFor();
    await eventNamed(there, 'Run', 2, '07:00').waitFor();

    // Another rule is none for one alone.
    await eventNamed(page, 'Swim', 4).click();
    await page.getByLabel('Repeats').selectOption('Does not repeat');
    await press(page, 'Save');
    expect(await page.getByRole('radio', { name: 'This event', exact: true }).count()).toBe(0);
    await choose(page, 'This and following events', 'Change');
    await eventNamed(there, 'Swim', 5).waitFor({ state: 'detached' });
    await eventNamed(there, 'Swim', 4).waitFor();
  });

  test('deleting asks the same, and says what cannot be undone before it is done', async () => {
    const { start, end } = hours(0, '06:00', '06:30');
    await demo.ask('alice@example.com', insert, {
      on: 'primary',
      event: { summary: 'Walk', start, end, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] },
    });
    await eventNamed(page, 'Walk', 4).click();
    await press(page, 'Delete');
    await page.getByRole('radio', { name: 'This and following events' }).check();
    await page.getByText('This cannot be undone.').waitFor();
    await choose(page, 'This and following events', 'Delete');
    await eventNamed(there, 'Walk', 5).waitFor({ state: 'detached' });
    await eventNamed(there, 'Walk', 3).waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);

    await eventNamed(page, 'Walk', 1).click();
    await press(page, 'Delete');
    await choose(page, 'All events', 'Delete');
    await eventNamed(there, 'Walk').waitFor({ state: 'detached' });
    await press(page, 'Undo');
    await eventNamed(there, 'Walk', 3).waitFor();
  });

  test('who is invited answers, and changes no more of it than that', async () => {
    const event = {
      summary: 'Board',
      ...hours(3, '11:00', '12:00'),
      attendees: [{ email: 'alice@example.com' }],
    };
    await demo.ask('bob@example.com', insert, { on: 'primary', event });
    await eventNamed(page, 'Board').click();
    await press(page, 'Maybe');
    await page.getByRole('button', { name: 'Maybe', pressed: true }).waitFor();
    expect(await guestsOf('Board')).toEqual(['alice@example.com tentative']);
    expect(await barriers(page)).toEqual([]);
    await page.getByLabel('Title').fill('Board of mine');
    await press(page, 'Save');
    await page.getByText('Only the organizer can change this, unless guestsCanModify is true.').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Board of mine');
  });

  test('a new event goes to a calendar where the caller may write; elsewhere events are to be read only', async () => {
    await demo.ask(
      'bob@example.com',
      'mutation { setCalendarAccess(calendarId: "primary", email: "alice@example.com", role: reader) { role } }',
    );
    await demo.ask('bob@example.com', insert, {
      on: 'primary',
      event: { summary: 'Talk', location: 'Hall', ...hours(4, '13:00', '14:00') },
    });
    await demo.open();
    await eventNamed(page, 'Talk').click();
    expect(await page.getByRole('definition').allInnerTexts()).toEqual([
      expect.stringContaining(`${spoken(4)}, 13:00`),
      'Hall',
      'bob@example.com',
      'bob@example.com',
    ]);
    expect(await page.getByRole('dialog').getByRole('textbox').count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await press(page, 'New event');
    const calendar = page.getByLabel('Calendar', { exact: true });
    expect(await calendar.getByRole('option').allInnerTexts()).toEqual([
      'alice@example.com',
      'team@group.calendar.example.com',
    ]);
    await page.getByLabel('Title').fill('Retreat');
    await calendar.selectOption('team@group.calendar.example.com');
    await press(page, 'Create');
    await closed(page);
    const { events } = await demo.ask(
      'alice@example.com',
      '{ events(calendarId: "team@group.calendar.example.com", q: "Retreat") { nodes { summary } } }',
    );
    expect(events).toEqual({ nodes: [{ summary: 'Retreat' }] });
  });

  test('what was stored and lost its answer is sent again safely: once made, once divided, once changed', async () => {
    await press(page, 'New event');
    await page.getByLabel('Title').fill('Parcel');
    // Whatever the day is today: it has to be there on Friday.
    for (const label of ['Start date', 'End date']) await page.getByLabel(label).fill(day(0));
    await page.getByLabel('Repeats').selectOption('Every day');
    await loseAnswer(page, 'DemoInsertEvent');
    await press(page, 'Create');
    await page.getByText('No answer came. It is safe to try again').waitFor();
    await press(page, 'Create');
    await closed(page);
    const { events } = await demo.ask(
      'alice@example.com',
      '{ events(calendarId: "primary", q: "Parcel") { nodes { id } } }',
    );
    expect(events).toEqual({ nodes: [{ id: expect.any(String) }] });

    for (const [afterMonday, scope, lost] of [
      [5, 'This and following events', 'DemoPatchFollowingEvents'],
      [4, 'This event', 'DemoPatchEvent'],
    ] as const) {
      await eventNamed(page, 'Parcel', afterMonday).click();
      await page.getByLabel('Start time').fill('09:30');
      await page.getByLabel('Title').fill(`Parcel ${scope}`);
      await loseAnswer(page, lost);
      await press(page, 'Save');
      await choose(page, scope, 'Change');
      await page.getByText('No answer came. It is safe to try again').waitFor();
      await press(page, 'Save');
      await choose(page, scope, 'Change');
      await closed(page);
      await eventNamed(there, `Parcel ${scope}`, afterMonday).waitFor();
    }
    demo.faults();
  });

  test('a gateway that refuses is heard in words, with nothing saved and nothing lost that was typed', async () => {
    const title = page.getByLabel('Title');
    await eventNamed(page, 'Design review').click();
    await title.fill('Review of mine');
    const refusals = [
      [
        429,
        'RATE_LIMITED',
        { 'retry-after': '12' },
        'Too many requests: try again in 12 seconds. Nothing was saved.',
      ],
      [503, 'UNAVAILABLE', { 'retry-after': '1' }, 'The gateway does not answer. Nothing was saved.'],
      [
        401,
        'UNAUTHENTICATED',
        {},
        'Your session has ended. Open the page again to sign in. Nothing was saved.',
      ],
    ] as const;
    for (const [status, code, headers, words] of refusals) {
      await refuse(page, status, code, 'A message for programmers.', headers);
      await press(page, 'Save');
      await page.getByRole('dialog').getByText(words).waitFor();
      expect(await title.inputValue()).toBe('Review of mine');
      await page.unrouteAll();
    }
    expect(await barriers(page)).toEqual([]);
    // One banner says it for the whole page, moves and all.
    await refuse(page, 401, 'UNAUTHENTICATED', 'A message for programmers.');
    await page.keyboard.press('Escape');
    await eventNamed(page, 'Design review').press('Alt+ArrowDown');
    await eventNamed(page, 'Design review', 2, '14:00 – 15:30').waitFor();
    expect(await page.getByText('Your session has ended.').count()).toBe(1);
    await page.unrouteAll();
    await press(page, 'Open again');
    await live(page);
    expect(await page.getByText('Your session has ended.').count()).toBe(0);

    // Nothing in a deletion or its undoing tells a repeated request from the first.
    await eventNamed(page, 'Design review').click();
    await press(page, 'Delete');
    await eventNamed(page, 'Design review').waitFor({ state: 'detached' });
    await page.route('**/graphql', (route) => route.abort('connectionreset'));
    await press(page, 'Undo');
    await page.getByText('It is not known whether it was saved.').waitFor();
    expect(demo.faults().filter((fault) => !/429|503|401|ERR_CONNECTION_RESET/.test(fault))).toEqual([]);
  });

  test('a move in a window that missed a change is no overwriting: it compares as well', async () => {
    // No stream, and none that fails loudly.
    await page.route('**/graphql/stream', (route) => route.fulfill({ status: 204 }));
    await page.reload();
    await eventNamed(page, 'Stand-up', 2).waitFor();
    await eventNamed(there, 'Stand-up', 2).press('Alt+ArrowDown');
    await choose(there, 'This event', 'Change');
    await eventNamed(there, 'Stand-up', 2, '09:15 – 09:30').waitFor();
    await eventNamed(page, 'Stand-up', 2).press('Alt+Shift+ArrowDown');
    await choose(page, 'This event', 'Change');
    const row = page.getByRole('row', { name: /^When/ });
    await row.waitFor();
    expect(await row.innerText()).toMatch(new RegExp(`09:15 to 09:30\\s+${day(2)}, 09:00 to 09:30`));
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await choose(page, 'This event', 'Change');
    await closed(page);
    await eventNamed(there, 'Stand-up', 2, '09:00 – 09:30').waitFor();
    await page.unrouteAll();
  });

  test('streams and the other view say it as well', async () => {
    const body = JSON.stringify({
      errors: [{ message: 'No such scope.', extensions: { code: 'FORBIDDEN', issues: [] } }],
    });
    await page.route('**/graphql/stream', (route) =>
      route.fulfill({ status: 403, contentType: 'application/json', body }),
    );
    await page.reload();
    await page.getByText('Changes of others do not come by themselves: No such scope.').waitFor();
    await page.unrouteAll();

    await page.getByRole('link', { name: 'Storage' }).click();
    await live(page);
    await loseAnswer(page, 'DemoPublish');
    await press(page, 'Publish');
    await page
      .getByRole('form', { name: 'Publish a change' })
      .getByText('No answer came. It is safe to try again')
      .waitFor();
    await page.unrouteAll();
    await refuse(page, 503, 'UNAVAILABLE', 'A message for programmers.');
    await press(page, 'Delete subscription 1');
    await page.getByText('The gateway does not answer. Nothing was saved.').waitFor();
    await page.getByRole('button', { name: 'Delete subscription 1' }).waitFor();
    await page.unrouteAll();
    await page.route('**/graphql/stream', (route) =>
      route.fulfill({ status: 401, contentType: 'application/json', body }),
    );
    await page.reload();
    await page.getByText('Your session has ended. Open the page again to sign in.').waitFor();
    await page.getByText('Not live', { exact: true }).waitFor();
    await page.unrouteAll();
    await refuse(page, 401, 'UNAUTHENTICATED', 'A message for programmers.');
    await page.getByRole('link', { name: 'Calendar' }).click();
    await page.reload();
    await page
      .getByText('The calendar cannot be read: Your session has ended. Open the page again to sign in.')
      .waitFor();
    await page.unrouteAll();
    expect(demo.faults().filter((fault) => !/503|401|403|ERR_CONNECTION_RESET/.test(fault))).toEqual([]);
  });

  test.each([
    [390, 1],
    [900, 2],
  ])('fits %i pixels with letters %i times as large', async (width, letters) => {
    await page.setViewportSize({ width, height: 800 });
    await page
      .locator('html')
      .evaluate(
        (root, size) => ((root as unknown as { style: { fontSize: string } }).style.fontSize = size),
        `${letters * 15}px`,
      );
    // By the keyboard: the view may be laid out anew meanwhile, and a click needs both ends on one element. On no calendar but hers.
    await eventNamed(page, 'Stand-up').press('Enter');
    await press(page, 'Add a guest');
    const dialog = page.getByRole('dialog');
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.keyboard.press('Escape');
    await eventNamed(page, 'Stand-up').press('Enter');
    await press(page, 'Delete');
    expect(await dialog.last().evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    expect(await barriers(page)).toEqual([]);
  });
});
