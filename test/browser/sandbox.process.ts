import { createRequire } from 'node:module';
import { build } from 'esbuild';
import type { Frame, Page } from 'playwright-core';
import { describeInChromium } from './chromium.ts';
import { startDemo } from './demo.harness.ts';
import { useForAll } from '../use-resource.ts';

const sandboxOrigin = 'https://sandbox.embed.apollographql.com';
/** Page in place of Sandbox's hosted frame. It records received messages; tests post messages in Sandbox's name. */
const recordingPage = `<script>
  window.received = [];
  addEventListener('message', ({ data }) => received.push(data));
</script>`;

describeInChromium('the page at /graphql in a browser', () => {
  const demo = useForAll(() => startDemo());

  test('reports that Sandbox needs the Internet, violates no content security policy, and links to the explorer', async () => {
    const { address, browser } = demo;
    const { page, faults } = await browser.visit(`${address}/graphql`);
    expect(faults.filter((fault) => /content security policy/i.test(fault))).toEqual([]);
    expect(await page.title()).toBe('Resource gateway: GraphQL');
    await page.getByText('Apollo Sandbox could not be loaded').waitFor();
    await page.getByRole('link', { name: 'Explore without internet' }).click();
    await page.waitForURL(`${address}/explorer`);
  });

  /** Opens the page with Sandbox's code from npm instead of its CDN. */
  async function openSandbox(): Promise<{ page: Page; sandbox: Frame; endpoint: string; headers: object }> {
    const { outputFiles } = await build({
      stdin: {
        contents: "import { ApolloSandbox } from '@apollo/sandbox'; window.EmbeddedSandbox = ApolloSandbox;",
        resolveDir: new URL('.', import.meta.url).pathname,
      },
      alias: { '@apollo/sandbox': createRequire(import.meta.url).resolve('@apollo/sandbox') },
      bundle: true,
      format: 'iife',
      write: false,
    });
    const sandboxCode = outputFiles[0]?.text ?? '';
    const { page } = await demo.browser.visit(`${demo.address}/explorer`);
    await page.route('https://embeddable-sandbox.cdn.apollographql.com/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: sandboxCode }),
    );
    await page.route(`${sandboxOrigin}/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: recordingPage }),
    );
    await page.goto(`${demo.address}/graphql`);
    const frameElement = await page.waitForSelector('iframe');
    const sandbox = await frameElement.contentFrame();
    if (!sandbox) throw new Error('the page has no frame');
    await sandbox.waitForFunction('window.received');
    const frameParams = new URL(sandbox.url()).searchParams;
    expect(frameParams.get('subscriptionEndpoint')).toBe(`${demo.address}/graphql`);
    return {
      page,
      sandbox,
      endpoint: frameParams.get('endpoint') ?? '',
      headers: JSON.parse(decodeURIComponent(frameParams.get('defaultHeaders') ?? '{}')) as object,
    };
  }

  /** Posts a message from the frame to the page. */
  const postToPage = (sandbox: Frame, message: object): Promise<void> =>
    sandbox.evaluate(`parent.postMessage(${JSON.stringify(message)}, '*')`);
  /** Waits for `count` responses of an operation and returns them as JSON. */
  async function waitForResponses(sandbox: Frame, operationId: string, count: number): Promise<string> {
    const responses = `received.filter((message) => message.operationId === '${operationId}' && message.response)`;
    await sandbox.waitForFunction(`${responses}.length >= ${count}`);
    return sandbox.evaluate<string>(`JSON.stringify(${responses})`);
  }

  test('runs queries and subscriptions in Apollo Sandbox, with the demo token', async () => {
    const { sandbox, endpoint, headers } = await openSandbox();
    await postToPage(sandbox, {
      name: 'ExplorerRequest',
      operationId: 'query',
      operation: '{ calendar(calendarId: "primary") { id } }',
      endpointUrl: endpoint,
      headers,
    });
    expect(await waitForResponses(sandbox, 'query', 1)).toContain('"id":"alice@example.com"');
    const operation = 'subscription { calendarChanged(calendarId: "primary") { calendarId } }';
    await postToPage(sandbox, {
      name: 'ExplorerSubscriptionRequest',
      operationId: 'subscription',
      operation,
      subscriptionUrl: endpoint,
      protocol: 'http-multipart',
      headers,
      httpMultipartParams: { includeCookies: false },
    });
    const renameEvent = (): Promise<unknown> =>
      demo.ask(
        'alice@example.com',
        'mutation ($summary: String) { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: $summary }) { id } }',
        { summary: `change ${Date.now()}` },
      );
    // Repeats changes, since the subscription may begin after the first one.
    const changeTimer = setInterval(() => void renameEvent(), 200);
    try {
      expect(await waitForResponses(sandbox, 'subscription', 2)).toContain(
        '"calendarChanged":{"calendarId":"alice@example.com"}',
      );
    } finally {
      clearInterval(changeTimer);
    }
    await postToPage(sandbox, {
      name: 'ExplorerSubscriptionRequest',
      operationId: 'refusedSubscription',
      operation: operation.replace('primary', 'nobody@example.com'),
      subscriptionUrl: endpoint,
      protocol: 'http-multipart',
      headers,
      httpMultipartParams: { includeCookies: false },
    });
    expect(await waitForResponses(sandbox, 'refusedSubscription', 1)).toContain('There is no such calendar.');
  });
});
