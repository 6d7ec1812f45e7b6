import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext } from 'playwright-core';
import { patienceMs } from '../eventually.ts';

/**
 * The program itself, not the distribution's script around it, which starts a shell first. The headless shell is the same
 * engine without a window around it, and starts in half the CPU: it is taken where it is installed.
 */
const executablePath = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/**
 * `describe` for suites that need Chromium. Without it they are skipped and say so; in CI, which installs it, they run
 * and fail.
 */
export const describeInChromium: (name: string, suite: () => void) => void =
  executablePath !== undefined || process.env.CI === 'true'
    ? describe
    : (name, suite) => describe.skip(`${name} (skipped: chromium is not installed)`, suite);

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export type Visit = Awaited<ReturnType<typeof watch>>;

export async function startChromium() {
  if (executablePath === undefined) throw new Error('chromium is not installed (Debian package chromium)');
  const folder = mkdtempSync(join(tmpdir(), 'chromium-'));
  const first = await chromium.launchPersistentContext(folder, { executablePath, headless: true, args });
  const browser = first.browser();
  if (!browser) throw new Error('chromium has no contexts');
  return {
    /** A page with storage of its own. */
    visit: async (url: string) =>
      watch(await browser.newContext({ viewport: { width: 1280, height: 800 } }), url),
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function watch(context: BrowserContext, url: string) {
  /** What went wrong on the page: errors of scripts, refusals of the content security policy, failed loads. */
  const faults: string[] = [];
  /** Addresses other than loopback that the page asked for. */
  const outside: string[] = [];
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // The page's own doing: it ended a stream, or was left while something was under way.
    if (reason !== 'net::ERR_ABORTED') faults.push(`${request.url()} ${reason}`);
  });
  // Refuses what would leave this machine, as on a computer without the internet.
  await context.route(
    ({ protocol, hostname }) => protocol.startsWith('http') && hostname !== '127.0.0.1',
    (route) => {
      outside.push(route.request().url());
      return route.abort('internetdisconnected');
    },
  );
  await page.goto(url);
  return { page, faults, outside };
}
