import { Ajv2020 } from 'ajv/dist/2020.js';
import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import type { Issue } from '../../src/core/errors.ts';
import type * as Validation from '../../src/validation/validation.ts';
import { eventJsonSchema, notificationJsonSchema } from '../../src/validation/json-schema.ts';
import { describeInChromium, startChromium } from '../browser/chromium.ts';
import { startGateway, type TestGateway } from '../harness.ts';
import { createSampleBodies, type Sample } from './bodies.ts';
import { startLoopbackServer } from '../loopback-server.ts';

const eventQuery = `query { event(calendarId: "primary", eventId: "review") {
  nodeId id summary description location colorId status transparency visibility sequence iCalUID kind created guestsCanModify
  start { date dateTime timeZone } end { date dateTime timeZone } recurrence
  attendees { email displayName responseStatus additionalGuests comment self } attachments { fileUrl title mimeType fileId iconLink }
  reminders { useDefault overrides { method minutes } } extendedProperties { private shared } source { title url }
  conferenceData { conferenceId notes } gadget { link display height width preferences }
} }`;
const eventArguments =
  'calendarId: "primary", validateOnly: true, supportsAttachments: true, conferenceDataVersion: 1';
const mutations = {
  insert: `mutation ($body: EventInput!) { insertEvent(${eventArguments}, event: $body) { id } }`,
  patch: `mutation ($body: EventInput!) { patchEvent(${eventArguments}, eventId: "review", event: $body) { id } }`,
  attendeeChanges: `mutation ($body: AttendeeChangesInput) { patchEvent(${eventArguments}, eventId: "review", attendeeChanges: $body, event: {}) { id } }`,
  notification: `mutation ($body: NotificationInput!) { insertNotification(bucket: "demo-photos", validateOnly: true, notification: $body) { id } }`,
};

/** Lists the issues that a bundle finds in each body. The browser page runs this function too. */
function findIssues(validation: typeof Validation, samples: readonly Sample[], stored: object): unknown[] {
  return samples.map(({ kind, body }) => {
    if (kind === 'notification') return validation.notificationIssues(body);
    if (kind === 'attendeeChanges') return validation.attendeeChangesIssues(body);
    return validation.eventIssues(body, {
      timeZone: 'Europe/Berlin',
      ...(kind === 'patch' && { patch: true, seen: stored }),
    });
  });
}

/** Bundles the validation rules, or the source of a module that exports some of them. */
async function buildBundle(format: 'esm' | 'iife', source?: string): Promise<string> {
  const { outputFiles } = await build({
    ...(source === undefined
      ? { entryPoints: ['src/validation/validation.ts'] }
      : { stdin: { contents: source, resolveDir: '.', loader: 'ts' as const } }),
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    format,
    globalName: 'validation',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

const samples = createSampleBodies();
// Samples as they arrive at the server and in the page.
const receivedSamples = JSON.parse(JSON.stringify(samples)) as Sample[];
let gateway: TestGateway;
let storedEvent: object;
let serverIssues: readonly (readonly Issue[])[];
beforeAll(async () => {
  // The server adds no suggestions of names, which the bundle cannot have, if INTROSPECTION=off.
  gateway = await startGateway({ INTROSPECTION: 'off' });
  storedEvent = (await gateway.ask(eventQuery)).data.event as object;
  const responses = [];
  for (const { kind, body } of receivedSamples) responses.push(await gateway.ask(mutations[kind], { body }));
  serverIssues = responses.map(({ errors }) => errors?.flatMap(({ extensions }) => extensions.issues) ?? []);
});
afterAll(() => gateway.close());

describe('the rules for forms', () => {
  test('find the same issues in 260 bodies as the server, as a browser bundle in Node.js', async () => {
    const context: { validation?: typeof Validation } & Record<string, unknown> = { URL, TextEncoder, Intl };
    runInNewContext(`${await buildBundle('iife')}; globalThis.validation = validation`, context);
    const issues = findIssues(context.validation as typeof Validation, receivedSamples, storedEvent);
    const bundleIssues = JSON.parse(JSON.stringify(issues)) as unknown[];
    for (const [index, sample] of receivedSamples.entries())
      expect({ ...sample, issues: bundleIssues[index] }).toEqual({ ...sample, issues: serverIssues[index] });
    expect(serverIssues.filter((issues) => issues.length > 0).length).toBeGreaterThan(150);
  });

  test('have at most 40 kB gzipped with dependencies, and the sizes in docs/clients/README.md', async () => {
    const clientDocs = readFileSync('docs/clients/README.md', 'utf8');
    const documentedSizes =
      /(\d+) kB minified and gzipped with all dependencies, (\d+) kB for events alone, (\d+) kB for notifications alone/
        .exec(clientDocs)
        ?.slice(1)
        .map(Number);
    const exportClauses = ['*', '{ eventIssues }', '{ notificationIssues }'];
    const sizeOf = async (exportClause: string) =>
      gzipSync(await buildBundle('esm', `export ${exportClause} from './src/validation/validation.ts'`))
        .length / 1000;
    const sizes = await Promise.all(exportClauses.map(sizeOf));
    expect(sizes[0]).toBeLessThan(40);
    // Tolerates small changes, so that the page need not change with each byte.
    for (const [index, size] of sizes.entries())
      expect(Math.abs(size - (documentedSizes?.[index] ?? 0))).toBeLessThan(1.5);
  });
});

describe('the JSON Schemas', () => {
  test('accept all bodies that the server accepts, and refuse more than 100 others', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const [validateEvent, validateNotification] = [eventJsonSchema(), notificationJsonSchema()].map(
      (schema) => ajv.compile(schema),
    );
    let refusedCount = 0;
    for (const [index, { kind, body: sampleBody }] of receivedSamples.entries()) {
      // The server drops fields that clients read but that are no input.
      const { __typename, calendar: _calendar, instances: _instances, bucket: _bucket, ...body } = sampleBody;
      if (kind === 'attendeeChanges') continue;
      // The server coerces single values to lists, which JSON Schemas refuse.
      const isCoerced =
        typeof body.event_types === 'string' ||
        typeof body.recurrence === 'string' ||
        (body.attendees as { email?: string } | null)?.email;
      if (isCoerced || (kind === 'notification' ? validateNotification : validateEvent)?.(body)) continue;
      expect({ body, issues: serverIssues[index]?.length }).not.toEqual({ body, issues: 0 });
      refusedCount += 1;
    }
    expect(refusedCount).toBeGreaterThan(100);
  });
});

describeInChromium('the rules for forms in a browser', () => {
  test('find the same issues, on a page whose content security policy forbids eval', async () => {
    const script = await buildBundle('iife');
    const html = '<!doctype html><link rel="icon" href="data:,"><script src="/validation.js"></script>';
    const server = await startLoopbackServer((request, response) => {
      if (request.url === '/validation.js')
        return response.setHeader('content-type', 'text/javascript').end(script);
      response
        .setHeader('content-security-policy', "default-src 'none'; script-src 'self'")
        .setHeader('content-type', 'text/html');
      return response.end(html);
    });
    const browser = await startChromium();
    const { page, faults } = await browser.visit(server.url);
    const values = [receivedSamples, storedEvent].map((value) => JSON.stringify(value)).join();
    const bundleIssues = await page.evaluate(`(${findIssues.toString()})(validation, ${values})`);
    await browser.close();
    await server.close();
    expect(bundleIssues).toEqual(serverIssues);
    expect(faults.filter((fault) => !fault.includes('data:,'))).toEqual([]);
  });
});
