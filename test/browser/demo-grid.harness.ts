import type { Locator, Page } from 'playwright-core';
import { demoUser } from '../../src/seed/demo-data.ts';

const zone = 'Europe/Berlin';
const timesBetween = (from: string, to: string) => ({
  start: { dateTime: from, timeZone: zone },
  end: { dateTime: to, timeZone: zone },
});
/** Derives an id from the summary. Ids have at least five characters, of a to v and 0 to 9. */
const idAndSummary = (summary: string) => ({
  id: summary
    .toLowerCase()
    .replaceAll(/[^a-v0-9]/g, '')
    .padEnd(5, '0'),
  summary,
});
const createTimedEvent = (summary: string, date: string, from: string, to: string) => ({
  ...idAndSummary(summary),
  ...timesBetween(`${date}T${from}:00`, `${date}T${to}:00`),
});
const createAllDayEvent = (summary: string, from: string, to: string) => ({
  ...idAndSummary(summary),
  start: { date: from },
  end: { date: to },
});
const twoDigits = (number: number): string => `${number}`.padStart(2, '0');

/** Number of all-day events, and the day, which also has an event at ten. */
export const allDayDays = [
  [1, '2027-01-05'],
  [2, '2027-01-12'],
  [12, '2027-01-19'],
] as const;
/** The day of 40 events. */
export const fullDay = '2027-02-03';
/** The days on which the clocks go back and forward. */
export const autumnChangeDay = '2026-10-25';
export const springChangeDay = '2026-03-29';
/** The Tuesday of the week in which tests move events. */
export const movesDay = '2027-03-02';
export const bob = 'bob@example.com';
export const team = 'team@group.calendar.example.com';

/** A seed with crowded days, both clock changes, and several calendars. */
export const crowdedSeed = {
  calendars: [
    {
      id: demoUser,
      owner: demoUser,
      timeZone: zone,
      acl: [],
      events: [
        ...allDayDays.flatMap(([count, date]) => [
          createTimedEvent(`At ten ${count}`, date, '10:00', '11:00'),
          ...Array.from({ length: count }, (_, index) =>
            createAllDayEvent(
              `All day ${count} ${index + 1}`,
              date,
              date.replace(/\d\d$/, (day) => twoDigits(Number(day) + 1)),
            ),
          ),
        ]),
        ...Array.from({ length: 40 }, (_, index) => {
          const hour = 8 + Math.floor(index / 4);
          const minutes = twoDigits(15 * (index % 4));
          return createTimedEvent(
            `Event ${index + 1}`,
            fullDay,
            `${twoDigits(hour)}:${minutes}`,
            `${twoDigits(hour + 1)}:${minutes}`,
          );
        }),
        {
          ...idAndSummary('First'),
          ...timesBetween(`${autumnChangeDay}T02:30:00+02:00`, `${autumnChangeDay}T02:45:00+02:00`),
        },
        {
          ...idAndSummary('Second'),
          ...timesBetween(`${autumnChangeDay}T02:30:00+01:00`, `${autumnChangeDay}T02:45:00+01:00`),
        },
        {
          ...idAndSummary('Over the change'),
          ...timesBetween(`${autumnChangeDay}T02:45:00+02:00`, `${autumnChangeDay}T02:15:00+01:00`),
        },
        {
          ...idAndSummary('Over the gap'),
          ...timesBetween(`${springChangeDay}T01:45:00+01:00`, `${springChangeDay}T03:15:00+02:00`),
        },
        {
          ...idAndSummary('After the gap'),
          ...timesBetween(`${springChangeDay}T04:00:00+02:00`, `${springChangeDay}T05:00:00+02:00`),
        },
        createAllDayEvent('Fair', '2027-03-02', '2027-03-04'),
        createTimedEvent('Talk', '2027-03-03', '10:00', '11:00'),
      ],
    },
    {
      id: bob,
      owner: bob,
      timeZone: zone,
      acl: [{ email: demoUser, role: 'reader' }],
      events: [createTimedEvent('Bob’s talk', '2027-03-04', '14:00', '15:00')],
    },
    {
      id: team,
      owner: demoUser,
      timeZone: zone,
      backgroundColor: '#0b7285',
      acl: [],
      events: [createTimedEvent('Retrospective', '2027-03-05', '14:00', '15:00')],
    },
  ],
  buckets: [],
};

/** Reads the titles of a day's events, including those behind "more". */
export async function readTitles(page: Page, date: string): Promise<Set<string>> {
  const day = page.locator(`[data-date="${date}"]`);
  const titleSelector = '[data-event]:visible .event-title';
  const titles = new Set(await day.locator(titleSelector).allInnerTexts());
  const count = await day.getByRole('button', { name: /^\+\d+/ }).count();
  for (let index = 0; index < count; index += 1) {
    await day
      .getByRole('button', { name: /^\+\d+/ })
      .nth(index)
      .click();
    const moreDialog = page.getByRole('dialog');
    await moreDialog.locator('[data-event]').first().waitFor();
    for (const title of await moreDialog.locator(titleSelector).allInnerTexts()) titles.add(title);
    await page.keyboard.press('Escape');
    await moreDialog.waitFor({ state: 'detached' });
  }
  return titles;
}

/** Measures the distance between the line of a time and the top of an element, in pixels. */
export async function measureDistanceToLine(page: Page, element: Locator, time: string): Promise<number> {
  const line = await measureBox(page.locator(`[data-time="${time}:00"]`).last());
  return Math.abs((await measureBox(element)).y - line.y);
}

/** Measures position and size of an element. Retries while the calendar library moves the element. */
export async function measureBox(
  element: Locator,
): Promise<{ x: number; y: number; width: number; height: number }> {
  for (;;) {
    const box = await element.boundingBox();
    if (box) return box;
  }
}

/** Measures how far the page scrolls sideways, in pixels. */
export const measureSidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Finds buttons and links smaller than 24 pixels. */
export const findSmallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('button, a, [role=button], [role=link]')].flatMap((element) => {
    const { width, height } = element.getBoundingClientRect();
    if (width === 0 || !element.checkVisibility({ visibilityProperty: true }) || Math.min(width, height) > 23.9) return [];
    return [element.outerHTML.slice(0, 160) + ' ' + width + ' × ' + height];
  })`);

/** Finds headings, buttons, hours and events that are cut off. */
export const findCutOffTexts = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('h2, button, .head-name, .hour-name, .day-number, .event-in-hours .event-words')].flatMap((element) => {
    const isCut = element.scrollWidth > element.clientWidth + 1 || element.getBoundingClientRect().right > innerWidth + 1;
    return isCut ? [element.outerHTML.slice(0, 160) + ' ' + element.scrollWidth + ' > ' + element.clientWidth] : [];
  })`);

export const doubleTextSize = (page: Page): Promise<unknown> =>
  page.evaluate("document.documentElement.style.fontSize = '200%'");

/** Reads the color of an event: its left edge has that color. */
export const readEdgeColor = (event: Locator): Promise<string> =>
  event.evaluate(
    (element) => element.ownerDocument.defaultView?.getComputedStyle(element).borderLeftColor ?? '',
  );
