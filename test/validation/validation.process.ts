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
import { bodies, type Sample } from './bodies.ts';
import { serve } from '../loopback.ts';

const readAll = `query { event(calendarId: "primary", eventId: "review") {
  nodeId id summary description location colorId status transparency visibility sequence iCalUID kind created guestsCanModify
  start { date dateTime timeZone } end { date dateTime timeZone } recurrence
  attendees { email displayName responseStatus additionalGuests comment self } attachments { fileUrl title mimeType fileId iconLink }
  reminders { useDefault overrides { method minutes } } extendedProperties { private shared } source { title url }
  conferenceData { conferenceId notes } gadget { link display height width preferences }
} }`;
const eventArguments =
  'calendarId: "primary", validateOnly: true, supportsAttachments: true, conferenceDataVersion: 1';
const operations = {
  insert: `mutation ($body: EventInput!) { insertEvent(${eventArguments}, event: $body) { id } }`,
  patch: `mutation ($body: EventInput!) { patchEvent(${eventArguments}, eventId: "review", event: $body) { id } }`,
  attendeeChanges: `mutation ($body: AttendeeChangesInput) { patchEvent(${eventArguments}, eventId: "review", attendeeChanges: $body, event: {}) { id } }`,
  notification: `mutation ($body: NotificationInput!) { insertNotification(bucket: "demo-photos", validateOnly: true, notification: $body) { id } }`,
};

/** Runs in the page as well: what a bundle finds in each body. */
function findIssues(validation: typeof Validation, samples: readonly Sample[], seen: object): unknown[] {
  return samples.map(({ kind, body }) => {
    if (kind === 'notification') return validation.notificationIssues(body);
    if (kind === 'attendeeChanges') return validation.attendeeChangesIssues(body);
    return validation.eventIssues(body, {
      timeZone: 'Europe/Berlin',
      ...(kind === 'patch' && { patch: true, seen }),
    });
  });
}

async function bundle(format: 'esm' | 'iife', stdin?: string): Promise<string> {
  const { outputFiles } = await build({
    ...(stdin === undefined
      ? { entryPoints: ['src/validation/validation.ts'] }
      : { stdin: { contents: stdin, resolveDir: '.', loader: 'ts' as const } }),
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

const samples = bodies();
// JSON is what arrives at the server and in the page.
const sent = JSON.parse(JSON.stringify(samples)) as Sample[];
let gateway: TestGateway;
let seen: object;
let told: readonly (readonly Issue[])[];
beforeAll(async () => {
  // Suggestions of names are the server's alone: whether a caller may see them depends on INTROSPECTION.
  gateway = await startGateway({ INTROSPECTION: 'off' });
  seen = (await gateway.ask(readAll)).data.event as object;
  const answers = [];
  for (const { kind, body } of sent) answers.push(await gateway.ask(operations[kind], { body }));
  told = answers.map(({ errors }) => errors?.flatMap(({ extensions }) => extensions.issues) ?? []);
});
afterAll(() => gateway.close());

describe('the rules for forms', () => {
  test('find in 260 bodies what the server finds, in a bundle for browsers that runs in Node.js', async () => {
    const context: { validation?: typeof Validation } & Record<string, unknown> = { URL, TextEncoder, Intl };
    runInNewContext(`${await bundle('iife')}; globalThis.validation = validation`, context);
    const issues = findIssues(context.validation as typeof Validation, sent, seen);
    const found = JSON.parse(JSON.stringify(issues)) as unknown[];
    for (const [index, sample] of sent.entries())
      expect({ ...sample, issues: found[index] }).toEqual({ ...sample, issues: told[index] });
    expect(told.filter((issues) => issues.length > 0).length).toBeGreaterThan(150);
  });

  test('have at most 40 kB with all they need, gzipped, and are as large as docs/clients says, as a whole and in part', async () => {
    const recipes = readFileSync('docs/clients/README.md', 'utf8');
    const said =
      /(\d+) kB minified and gzipped with all\s+they need, (\d+) kB for events alone, (\d+) kB for notifications alone/
        .exec(recipes)
        ?.slice(1)
        .map(Number);
    const parts = ['*', '{ eventIssues }', '{ notificationIssues }'];
    const sizeOf = async (part: string) =>
      gzipSync(await bundle('esm', `export ${part} from './src/validation/validation.ts'`)).length / 1000;
    const sizes = await Promise.all(parts.map(sizeOf));
    expect(sizes[0]).toBeLessThan(40);
    // A byte more or less is no reason to write it anew.
    for (const [index, size] of sizes.entries())
      expect(Math.abs(size - (said?.[index] ?? 0))).toBeLessThan(1.5);
  });
});

describe('the JSON Schemas beside them', () => {
  test('refuse nothing that the server takes, and say much of what it refuses', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const [event, notification] = [eventJsonSchema(), notificationJsonSchema()].map((schema) =>
      ajv.compile(schema),
    );
    let refused = 0;
    for (const [index, { kind, body: whole }] of sent.entries()) {
      // What a client read beside the fields of the input is dropped by the server.
      const { __typename, calendar: _calendar, instances: _instances, bucket: _bucket, ...body } = whole;
      if (kind === 'attendeeChanges') continue;
      // A server coerces what a JSON Schema takes as it stands: one value for a list of one, a number for an id.
      const coerced =
        typeof body.event_types === 'string' ||
        typeof body.recurrence === 'string' ||
        (body.attendees as { email?: string } | null)?.email;
      if (coerced || (kind === 'notification' ? notification : event)?.(body)) continue;
      expect({ body, issues: told[index]?.length }).not.toEqual({ body, issues: 0 });
      refused += 1;
    }
    expect(refused).toBeGreaterThan(100);
  });
});

describeInChromium('the rules for forms in a browser', () => {
  test('find the same there, on a page that allows no script to be made of strings', async () => {
    const script = await bundle('iife');
    const html = '<!doctype html><link rel="icon" href="data:,"><script src="/validation.js"></script>';
    const server = await serve((request, response) => {
      if (request.url === '/validation.js')
        return response.setHeader('content-type', 'text/javascript').end(script);
      response
        .setHeader('content-security-policy', "default-src 'none'; script-src 'self'")
        .setHeader('content-type', 'text/html');
      return response.end(html);
    });
    const browser = await startChromium();
    const { page, faults } = await browser.visit(server.url);
    const values = [sent, seen].map((value) => JSON.stringify(value)).join();
    const found = await page.evaluate(`(${findIssues.toString()})(validation, ${values})`);
    await browser.close();
    await server.close();
    expect(found).toEqual(told);
    expect(faults.filter((fault) => !fault.includes('data:,'))).toEqual([]);
  });
});
