import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext } from 'playwright-core';
import { maxWaitMs } from '../eventually.ts';

/** The binary without its wrapper script; the headless shell needs half the CPU time to start. */
const executablePath = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** `describe` for suites that need Chromium. Without it they are skipped, but fail in CI. */
export const describeInChromium: (name: string, suite: () => void) => void =
  executablePath !== undefined || process.env.CI === 'true'
    ? describe
    : (name, suite) => describe.skip(`${name} (skipped: chromium is not installed)`, suite);

const launchArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** An open page, with its faults so far. */
export type Visit = Awaited<ReturnType<typeof openPage>>;

/** Starts Chromium with a new profile. */
export async function startChromium() {
  if (executablePath === undefined) throw new Error('chromium is not installed (Debian package chromium)');
  const profileFolder = mkdtempSync(join(tmpdir(), 'chromium-'));
  const rootContext = await chromium.launchPersistentContext(profileFolder, {
    executablePath,
    headless: true,
    args: launchArgs,
  });
  const browser = rootContext.browser();
  if (!browser) throw new Error('chromium has no contexts');
  return {
    /** Opens a page with its own storage, in the language of a reader. */
    visit: async (url: string, locale = 'en-GB') =>
      openPage(await browser.newContext({ viewport: { width: 1280, height: 800 }, locale }), url),
    async close() {
      await browser.close();
      rmSync(profileFolder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function openPage(context: BrowserContext, url: string) {
  /** Script errors, violations of the content security policy, and failed requests of the page. */
  const faults: string[] = [];
  /** Requests of the page beyond loopback. */
  const outsideRequests: string[] = [];
  context.setDefaultTimeout(maxWaitMs);
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // ERR_ABORTED comes from the page itself, which closed a stream or navigated away.
    if (reason !== 'net::ERR_ABORTED') faults.push(`${request.url()} ${reason}`);
  });
  // Blocks requests beyond this machine, as without the Internet.
  await context.route(
    ({ protocol, hostname }) => protocol.startsWith('http') && hostname !== '127.0.0.1',
    (route) => {
      outsideRequests.push(route.request().url());
      return route.abort('internetdisconnected');
    },
  );
  await page.goto(url);
  return { page, faults, outsideRequests };
}
