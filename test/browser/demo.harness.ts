import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { signToken } from '../../src/access/token.ts';
import { compose } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { allScopes } from '../harness.ts';
import { startChromium } from './chromium.ts';
import { postOperation } from '../gateway-process.ts';

const builtPage = fileURLToPath(new URL('../../dist/demo/index.html', import.meta.url));
const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A running gateway with the demo page, and a browser. */
export type Demo = Awaited<ReturnType<typeof startDemo>>;

/** Starts a gateway with the demo page, on the demo data or another seed, with further settings, and Chromium. */
export async function startDemo(seed?: unknown, env: Readonly<Record<string, string>> = {}) {
  if (!existsSync(builtPage)) throw new Error('dist/demo is missing: run "npm run build" before the tests.');
  const folder = mkdtempSync(join(tmpdir(), 'demo-'));
  const replacements = {
    logLevel: 'silent',
    includesProcessMetrics: false,
    ...(seed !== undefined && { seed }),
  } as const;
  const { app } = await compose(
    readConfig({ XDG_STATE_HOME: folder, RATE_LIMIT: 'off', ...env }),
    replacements,
  );
  const secret = readFileSync(join(folder, 'resource-gateway', 'demo-secret'), 'utf8').trim();
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const browser = await startChromium();
  return {
    address,
    browser,
    /** Sends a request as a user, independently of the page. */
    async ask<T = Record<string, unknown>>(email: string, query: string, variables?: object) {
      const token = await signToken(secret, {
        sub: email,
        email,
        scopes: allScopes,
        expires: Date.now() + 3_600_000,
      });
      const response = await postOperation(address, token, query, variables);
      const { data, errors } = (await response.json()) as { readonly data: T; readonly errors?: unknown };
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
    async stop() {
      await browser.close();
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Locates an event of a day by its accessible name. */
export const eventOnDay = (page: Page, date: string, name: RegExp): Locator =>
  page.locator(`[data-date="${date}"]`).getByRole('button', { name });
/** Waits until the page receives live updates. */
export const waitForLive = (page: Page): Promise<void> => page.getByText('Live', { exact: true }).waitFor();
export const pressSave = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^(Save|Create)$/ }).click();
/** Opens the form of an event, from its quick view. */
export async function openEditor(event: Locator, key?: 'Enter'): Promise<void> {
  await (key ? event.press(key) : event.click());
  await event.page().getByRole('button', { name: 'Edit', exact: true }).click();
}
/** Waits until no dialog is open. */
export const waitForClosed = (page: Page): Promise<void> =>
  page.locator('dialog').first().waitFor({ state: 'detached' });
/** Chooses the scope of a change of a series. */
export const chooseScope = async (page: Page, scope: string, button: string): Promise<void> => {
  await page.getByRole('radio', { name: scope, exact: true }).check();
  await page.getByRole('dialog').last().getByRole('button', { name: button, exact: true }).click();
};

/** Lists accessibility violations found by axe. A notice that fades in has less contrast. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => {})',
  );
  // Evaluated, because the content security policy refuses a script tag.
  await page.evaluate(axeScript);
  return page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as {
        axe: {
          run(): Promise<{
            violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
          }>;
        };
      }
    ).axe.run();
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => html + failureSummary).join('\n')}`,
    );
  });
}
