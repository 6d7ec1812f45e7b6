import type { Page } from 'playwright-core';
import { describeInChromium } from './chromium.ts';
import {
  dateInThisWeek,
  eventNamed,
  loseNextResponse,
  pressButton,
  refuseRequests,
  spokenDay,
  useWindows,
} from './demo-windows.harness.ts';
import { findViolations, chooseScope, waitForClosed, openEditor, waitForLive } from './demo.harness.ts';

const insertMutation =
  'mutation ($on: String!, $event: EventInput!) { insertEvent(calendarId: $on, event: $event) { id } }';
const timesOn = (daysAfterMonday: number, from: string, to: string) => ({
  start: { dateTime: `${dateInThisWeek(daysAfterMonday)}T${from}:00`, timeZone: 'Europe/Berlin' },
  end: { dateTime: `${dateInThisWeek(daysAfterMonday)}T${to}:00`, timeZone: 'Europe/Berlin' },
});

describeInChromium('the editor of the demo page', () => {
  let page: Page;
  let otherPage: Page;
  const demo = useWindows((windows) => {
    page = windows.here.page;
    otherPage = windows.there.page;
  });

  const readGuests = async (title: string): Promise<string[]> => {
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

  test('keeps the guest changes of two windows', async () => {
    for (const [window, email] of [
      [page, 'erin@example.com'],
      [otherPage, 'frank@example.com'],
    ] as const) {
      await openEditor(eventNamed(window, 'Team meeting'));
      await pressButton(window, 'Add a guest');
      await window.getByLabel('E-mail of guest 5').fill(email);
    }
    await pressButton(otherPage, 'Remove guest carol@elsewhere.example');
    const hint = otherPage.getByText('This event was changed elsewhere meanwhile.');
    expect(await hint.count()).toBe(0);
    await pressButton(page, 'Save');
    await waitForClosed(page);
    await hint.waitFor();
    expect(await findViolations(otherPage)).toEqual([]);
    await pressButton(otherPage, 'Save');
    await waitForClosed(otherPage);
    expect((await readGuests('Team meeting')).map((guest) => guest.split('@')[0])).toEqual([
      'alice',
      'bob',
      'room3',
      'erin',
      'frank',
    ]);
  });

  test('changes one instance, it and the following ones, or the whole series', async () => {
    const { start, end } = timesOn(0, '07:00', '07:30');
    await demo.ask('alice@example.com', insertMutation, {
      on: 'primary',
      event: { summary: 'Run', start, end, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] },
    });
    const renameEvent = async (
      daysAfterMonday: number,
      oldTitle: string,
      newTitle: string,
      scope: string,
    ): Promise<void> => {
      await openEditor(eventNamed(page, oldTitle, daysAfterMonday));
      await page.getByLabel('Title').fill(newTitle);
      await pressButton(page, 'Save');
      await chooseScope(page, scope, 'Change');
      await waitForClosed(page);
    };
    await renameEvent(1, 'Run', 'Run far', 'This event');
    await eventNamed(otherPage, 'Run far', 1).waitFor();
    await renameEvent(3, 'Run', 'Swim', 'This and following events');
    await eventNamed(otherPage, 'Swim', 5).waitFor();
    await eventNamed(otherPage, 'Run', 2).waitFor();

    // Moves all events by an hour. Escape at the question saves nothing.
    await openEditor(eventNamed(page, 'Swim', 4));
    await page.getByLabel('Start time').fill('08:00');
    await page.getByLabel('End time').fill('08:30');
    await pressButton(page, 'Save');
    await page.getByRole('heading', { name: 'Change a repeating event' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('Start time').inputValue()).toBe('08:00');
    await pressButton(page, 'Save');
    await chooseScope(page, 'All events', 'Change');
    for (const daysAfterMonday of [3, 5])
      await eventNamed(otherPage, 'Swim', daysAfterMonday, '08:00 – 08:30').waitFor();
    await eventNamed(otherPage, 'Run', 2, '07:00').waitFor();

    // A changed rule cannot apply to a single instance.
    await openEditor(eventNamed(page, 'Swim', 4));
    await page.getByLabel('Repeats').selectOption('Does not repeat');
    await pressButton(page, 'Save');
    expect(await page.getByRole('radio', { name: 'This event', exact: true }).count()).toBe(0);
    await chooseScope(page, 'This and following events', 'Change');
    await eventNamed(otherPage, 'Swim', 5).waitFor({ state: 'detached' });
    await eventNamed(otherPage, 'Swim', 4).waitFor();
  });

  test('deletes with the same choice, and warns if that cannot be undone', async () => {
    const { start, end } = timesOn(0, '06:00', '06:30');
    await demo.ask('alice@example.com', insertMutation, {
      on: 'primary',
      event: { summary: 'Walk', start, end, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] },
    });
    await eventNamed(page, 'Walk', 4).click();
    await pressButton(page, 'Delete');
    await page.getByRole('radio', { name: 'This and following events' }).check();
    await page.getByText('This cannot be undone.').waitFor();
    await chooseScope(page, 'This and following events', 'Delete');
    await eventNamed(otherPage, 'Walk', 5).waitFor({ state: 'detached' });
    await eventNamed(otherPage, 'Walk', 3).waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);

    await eventNamed(page, 'Walk', 1).click();
    await pressButton(page, 'Delete');
    await chooseScope(page, 'All events', 'Delete');
    await eventNamed(otherPage, 'Walk').waitFor({ state: 'detached' });
    await pressButton(page, 'Undo');
    await eventNamed(otherPage, 'Walk', 3).waitFor();
  });

  test('lets a guest respond, but not change the event', async () => {
    const event = {
      summary: 'Council',
      ...timesOn(3, '11:00', '12:00'),
      attendees: [{ email: 'alice@example.com' }],
    };
    await demo.ask('bob@example.com', insertMutation, { on: 'primary', event });
    await eventNamed(page, 'Council').click();
    await pressButton(page, 'Maybe');
    await page.getByRole('button', { name: 'Maybe', pressed: true }).waitFor();
    expect(await readGuests('Council')).toEqual(['alice@example.com tentative']);
    expect(await findViolations(page)).toEqual([]);
    await pressButton(page, 'Edit');
    await page.getByLabel('Title').fill('Council of mine');
    await pressButton(page, 'Save');
    await page.getByText('Only the organizer can change this, unless guestsCanModify is true.').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Council of mine');
  });

  test('creates events on writable calendars, and shows others read-only', async () => {
    await demo.ask(
      'bob@example.com',
      'mutation { setCalendarAccess(calendarId: "primary", email: "alice@example.com", role: reader) { role } }',
    );
    await demo.ask('bob@example.com', insertMutation, {
      on: 'primary',
      event: { summary: 'Talk', location: 'Hall', ...timesOn(4, '13:00', '14:00') },
    });
    await demo.open();
    await eventNamed(page, 'Talk').click();
    expect(await page.getByRole('definition').allInnerTexts()).toEqual([
      expect.stringContaining(`${spokenDay(4)}, 13:00`),
      'Hall',
      'bob@example.com',
      'bob@example.com',
      expect.stringMatching(/^[A-Z]/),
      'Europe/Berlin',
    ]);
    expect(await page.getByRole('dialog').getByRole('textbox').count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await pressButton(page, 'New event');
    const calendarSelect = page.getByLabel('Calendar', { exact: true });
    expect(await calendarSelect.getByRole('option').allInnerTexts()).toEqual([
      'alice@example.com',
      'team@group.calendar.example.com',
    ]);
    await page.getByLabel('Title').fill('Retreat');
    await calendarSelect.selectOption('team@group.calendar.example.com');
    await pressButton(page, 'Create');
    await waitForClosed(page);
    const { events } = await demo.ask(
      'alice@example.com',
      '{ events(calendarId: "team@group.calendar.example.com", q: "Retreat") { nodes { summary } } }',
    );
    expect(events).toEqual({ nodes: [{ summary: 'Retreat' }] });
  });

  test('repeats a create, split or change whose response was lost, without a second effect', async () => {
    await pressButton(page, 'New event');
    await page.getByLabel('Title').fill('Parcel');
    // Starts on Monday, so that there is an instance on Friday.
    for (const label of ['Start date', 'End date']) await page.getByLabel(label).fill(dateInThisWeek(0));
    await page.getByLabel('Start time').fill('10:00');
    await page.getByLabel('End time').fill('11:00');
    await page.getByLabel('Repeats').selectOption('Daily');
    await loseNextResponse(page, 'DemoInsertEvent');
    await pressButton(page, 'Create');
    await page.getByText('No answer came. It is safe to try again').waitFor();
    await pressButton(page, 'Create');
    await waitForClosed(page);
    const { events } = await demo.ask(
      'alice@example.com',
      '{ events(calendarId: "primary", q: "Parcel") { nodes { id } } }',
    );
    expect(events).toEqual({ nodes: [{ id: expect.any(String) }] });

    for (const [daysAfterMonday, scope, operation] of [
      [5, 'This and following events', 'DemoPatchFollowingEvents'],
      [4, 'This event', 'DemoPatchEvent'],
    ] as const) {
      await openEditor(eventNamed(page, 'Parcel', daysAfterMonday));
      await page.getByLabel('Start time').fill('09:30');
      await page.getByLabel('Title').fill(`Parcel ${scope}`);
      await loseNextResponse(page, operation);
      await pressButton(page, 'Save');
      await chooseScope(page, scope, 'Change');
      await page.getByText('No answer came. It is safe to try again').waitFor();
      await pressButton(page, 'Save');
      await chooseScope(page, scope, 'Change');
      await waitForClosed(page);
      await eventNamed(otherPage, `Parcel ${scope}`, daysAfterMonday).waitFor();
    }
    // Lost responses are faults of the page.
    demo.takeFaults();
  });

  test('explains refusals of the gateway, saves nothing and keeps the input', async () => {
    const titleField = page.getByLabel('Title');
    await openEditor(eventNamed(page, 'Design review'));
    await titleField.fill('Review of mine');
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
    for (const [status, code, headers, explanation] of refusals) {
      await refuseRequests(page, status, code, 'A message for programmers.', headers);
      await pressButton(page, 'Save');
      await page.getByRole('dialog').getByText(explanation).waitFor();
      expect(await titleField.inputValue()).toBe('Review of mine');
      await page.unrouteAll();
    }
    expect(await findViolations(page)).toEqual([]);
    // A single banner reports the ended session for the whole page.
    await refuseRequests(page, 401, 'UNAUTHENTICATED', 'A message for programmers.');
    await page.keyboard.press('Escape');
    await pressButton(page, 'Discard');
    await eventNamed(page, 'Design review').press('Alt+ArrowDown');
    await eventNamed(page, 'Design review', 2, '14:00 – 15:30').waitFor();
    expect(await page.getByText('Your session has ended.').count()).toBe(1);
    await page.unrouteAll();
    await pressButton(page, 'Open again');
    await waitForLive(page);
    expect(await page.getByText('Your session has ended.').count()).toBe(0);

    // The undo of a deletion can be repeated, although its first response is lost.
    await eventNamed(page, 'Design review').click();
    await pressButton(page, 'Delete');
    await eventNamed(page, 'Design review').waitFor({ state: 'detached' });
    await loseNextResponse(page, 'DemoPatchEvent');
    await pressButton(page, 'Undo');
    await page.getByText('It is safe to try again: nothing is done twice.').waitFor();
    await pressButton(page, 'Try again');
    await page.getByText('“Design review” was restored.').waitFor();
    expect(demo.takeFaults().filter((fault) => !/429|503|401|ERR_CONNECTION_RESET/.test(fault))).toEqual([]);
  });

  test('shows the conflict of a move in a window that missed a change, instead of overwriting it', async () => {
    // The stream ends quietly, so that the page misses changes.
    await page.route('**/graphql/stream', (route) => route.fulfill({ status: 204 }));
    await page.reload();
    await eventNamed(page, 'Stand-up', 2).waitFor();
    await eventNamed(otherPage, 'Stand-up', 2).press('Alt+ArrowDown');
    await chooseScope(otherPage, 'This event', 'Change');
    await eventNamed(otherPage, 'Stand-up', 2, '09:15 – 09:30').waitFor();
    await eventNamed(page, 'Stand-up', 2).press('Alt+Shift+ArrowDown');
    await chooseScope(page, 'This event', 'Change');
    const row = page.getByRole('row', { name: /^When/ });
    await row.waitFor();
    expect(await row.innerText()).toMatch(/09:15 – 09:30\s.*, 09:00 – 09:30/);
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await chooseScope(page, 'This event', 'Change');
    await waitForClosed(page);
    await eventNamed(otherPage, 'Stand-up', 2, '09:00 – 09:30').waitFor();
    await page.unrouteAll();
  });

  test('explains refusals of streams and of the storage view', async () => {
    const body = JSON.stringify({
      errors: [{ message: 'No such scope.', extensions: { code: 'FORBIDDEN', issues: [] } }],
    });
    await page.route('**/graphql/stream', (route) =>
      route.fulfill({ status: 403, contentType: 'application/json', body }),
    );
    await page.reload();
    await page.getByText('Live updates are off: No such scope.').waitFor();
    await page.unrouteAll();

    await page.getByRole('link', { name: 'Storage' }).click();
    await waitForLive(page);
    await loseNextResponse(page, 'DemoPublish');
    await pressButton(page, 'Publish');
    await page
      .getByRole('form', { name: 'Publish a change' })
      .getByText('No answer came. It is safe to try again')
      .waitFor();
    await page.unrouteAll();
    await refuseRequests(page, 503, 'UNAVAILABLE', 'A message for programmers.');
    await pressButton(page, 'Delete subscription 1');
    await pressButton(page, 'Delete subscription');
    await page.getByText('The gateway does not answer. Nothing was saved.').waitFor();
    await pressButton(page, 'Cancel');
    await page.getByRole('button', { name: 'Delete subscription 1' }).waitFor();
    await page.unrouteAll();
    await page.route('**/graphql/stream', (route) =>
      route.fulfill({ status: 401, contentType: 'application/json', body }),
    );
    await page.reload();
    await page.getByText('Your session has ended. Open the page again to sign in.').waitFor();
    await page.getByText('Not live', { exact: true }).waitFor();
    await page.unrouteAll();
    await refuseRequests(page, 401, 'UNAUTHENTICATED', 'A message for programmers.');
    await page.getByRole('link', { name: 'Calendar' }).click();
    await page.reload();
    await page
      .getByText('The calendars could not be loaded. Your session has ended. Open the page again to sign in.')
      .waitFor();
    await page.unrouteAll();
    expect(demo.takeFaults().filter((fault) => !/503|401|403|ERR_CONNECTION_RESET/.test(fault))).toEqual([]);
  });

  test.each([
    [390, 1],
    [900, 2],
  ])('fits %i pixels with text %i times as large', async (width, textScale) => {
    await page.setViewportSize({ width, height: 800 });
    await page.locator('html').evaluate(
      // Cast, because tests are compiled without the types of the DOM.
      (root, size) => ((root as unknown as { style: { fontSize: string } }).style.fontSize = size),
      // The page has a text size of 15 pixels.
      `${textScale * 15}px`,
    );
    // Uses the keyboard, because a layout change during a click would lose the click.
    await openEditor(eventNamed(page, 'Stand-up'), 'Enter');
    await pressButton(page, 'Add a guest');
    const dialog = page.getByRole('dialog');
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.keyboard.press('Escape');
    await eventNamed(page, 'Stand-up').press('Enter');
    await pressButton(page, 'Delete');
    expect(await dialog.last().evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    expect(await findViolations(page)).toEqual([]);
  });
});
