import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { startChromium, type Browser } from './chromium.ts';

const built = fileURLToPath(new URL('../../dist/demo/index.html', import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Demo {
  readonly address: string;
  readonly browser: Browser;
  /** An operation by the page's own user, beside the page. */
  send<T>(query: string, variables?: Record<string, unknown>): Promise<T>;
  stop(): Promise<void>;
}

/** A gateway with the page, over its own data or others. */
export async function startDemo(seed?: unknown): Promise<Demo> {
  if (!existsSync(built)) throw new Error('dist/demo is missing: run "npm run build" before the tests.');
  const { app, demoToken } = await compose(readConfig({ RATE_LIMIT: 'off' }), { logLevel: 'silent', processMetrics: false, ...(seed !== undefined && { seed }) });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const browser = await startChromium();
  return {
    address,
    browser,
    async send<T>(query: string, variables?: Record<string, unknown>) {
      const response = await fetch(`${address}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${demoToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await response.json()) as { readonly data: T; readonly errors?: unknown };
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
    async stop() {
      await browser.close();
      await app.close();
    },
  };
}

/** An event in its day, by what is read out of it. */
export const eventOf = (page: Page, date: string, name: RegExp): Locator => page.locator(`[data-date="${date}"]`).getByRole('button', { name });
export const live = (page: Page): Promise<void> => page.getByText('Live', { exact: true }).waitFor();
export const save = (page: Page): Promise<void> => page.getByRole('button', { name: /^(Save|Create)$/ }).click();
export const closed = (page: Page): Promise<void> => page.getByRole('dialog').waitFor({ state: 'detached' });

/** What axe finds serious or critical. */
export async function barriers(page: Page): Promise<string[]> {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe.run();
    return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => html + failureSummary).join('\n')}`);
  });
}
