import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { signToken } from '../../src/access/signing.ts';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { dayOfWeek } from '../../src/core/text/week.ts';
import { allScopes } from '../harness.ts';
import { startChromium, type Visit } from './chromium.ts';

const built = fileURLToPath(new URL('../../dist/demo/index.html', import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Demo {
  readonly address: string;
  /** Two windows of Alice's. */
  readonly here: Visit;
  readonly there: Visit;
  /** What the API answers to somebody. */
  ask(email: string, query: string, variables?: object): Promise<Record<string, unknown>>;
  /** Opens the page in both windows. */
  open(): Promise<void>;
  /** What went wrong in them since it was asked for. */
  faults(): string[];
  stop(): Promise<void>;
}

/** A demo gateway and two windows with its page. */
export async function startDemo(): Promise<Demo> {
  if (!existsSync(built)) throw new Error('dist/demo is missing: run "npm run build" before the tests.');
  const folder = mkdtempSync(join(tmpdir(), 'demo-'));
  const { app } = await compose(readConfig({ XDG_STATE_HOME: folder, RATE_LIMIT: 'off' }), { logLevel: 'silent', processMetrics: false });
  const secret = readFileSync(join(folder, 'resource-gateway', 'demo-secret'), 'utf8').trim();
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const browser = await startChromium();
  const [here, there] = await Promise.all([browser.visit('about:blank'), browser.visit('about:blank')]);
  return {
    address, here, there,
    async ask(email, query, variables) {
      const token = await signToken(secret, { sub: email, email, scopes: allScopes, expires: Date.now() + 3_600_000 });
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const response = await fetch(`${address}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
      const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors?: unknown };
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
    async open() {
      await Promise.all([here, there].map(async ({ page }) => {
        page.setDefaultTimeout(10_000);
        await page.unrouteAll();
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.goto(`${address}/demo`);
        await live(page);
      }));
    },
    faults: () => [here, there].flatMap(({ faults, outside }) => [...faults.splice(0), ...outside.splice(0)]),
    async stop() {
      await browser.close();
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const now = Date.now();
/** A day of this week, so many after its Monday; `spoken`: as the page reads it out. */
export const day = (afterMonday: number): string => dayOfWeek(now, 'Europe/Berlin', afterMonday);
export const spoken = (afterMonday: number): string =>
  new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }).format(new Date(day(afterMonday)));

export const live = (page: Page): Promise<void> => page.getByText('Live', { exact: true }).waitFor();
/** An event in the view, by its title, and its day and hours where these matter. */
export const eventOf = (page: Page, title: string, afterMonday?: number, hours = ''): Locator =>
  page.getByRole('button', { name: new RegExp(`^${title} ${afterMonday === undefined ? '' : `${spoken(afterMonday)}, ${hours}`}`) }).first();
export const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
/** Answers how much of a series is meant. */
export const choose = async (page: Page, scope: string, button: string): Promise<void> => {
  await page.getByRole('radio', { name: scope, exact: true }).check();
  await page.getByRole('dialog').last().getByRole('button', { name: button, exact: true }).click();
};
/** No dialog is open. */
export const closed = (page: Page): Promise<void> => page.locator('dialog').first().waitFor({ state: 'detached' });

/** What axe finds serious or critical. */
export async function barriers(page: Page): Promise<string[]> {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe.run();
    return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => html + failureSummary).join('\n')}`);
  });
}

/** Answers the next requests to the gateway in its place. */
export async function refuse(page: Page, status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const body = JSON.stringify({ errors: [{ message, extensions: { code, reason: code, issues: [], requestId: '1' } }] });
  await page.route('**/graphql', (route) => route.fulfill({ status, headers, contentType: 'application/graphql-response+json', body }));
}

/** The gateway gets the next request whose body has this in it, and its answer is lost. */
export async function loseAnswer(page: Page, of: string): Promise<void> {
  let lost = false;
  await page.route('**/graphql', async (route) => {
    if (lost || !route.request().postData()?.includes(of)) return route.fallback();
    lost = true;
    await route.fetch();
    await route.abort('connectionreset');
  });
}
