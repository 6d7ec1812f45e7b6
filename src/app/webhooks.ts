import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { createAddressRules, type AddressRules } from '../adapters/webhook/agent.ts';
import { digestOf, webhookDestinations } from '../adapters/webhook/destinations.ts';
import type { Webhook } from '../adapters/webhook/publisher.ts';
import { ConfigError, type Config } from '../config.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { OutgoingMessage } from '../notification/notification.store.ts';
import { parseTopic } from '../notification/notification.fields.ts';
import type { Destination } from '../outbox/destination.ts';

/** The webhooks of WEBHOOKS_FILE. Throws a ConfigError that names every place that is wrong, and nothing that may be a secret. */
export function openWebhooks(
  { webhooks: { file, networks }, pubsubHost }: Config,
  clock: Clock,
): readonly Destination<OutgoingMessage>[] {
  if (file === undefined) return [];
  const text = textOf(file);
  const rules = createAddressRules(networks);
  const webhooks = readWebhooks(contentOf(text, file), pubsubHost, rules);
  return webhookDestinations({ webhooks, version: digestOf(text), rules, clock });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`WEBHOOKS_FILE: ${file} cannot be read: ${(error as Error).message}`);
  }
}

/** What the parser says of a fault may quote what stands there: only its position is passed on. */
function contentOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position \d+/.exec((error as Error).message)?.[0];
    throw new ConfigError(
      `WEBHOOKS_FILE: ${file} is not JSON${position === undefined ? '' : `: look ${position}`}.`,
    );
  }
}

/** The webhooks of a file's content, topics in full form. */
function readWebhooks(content: unknown, pubsubHost: string, rules: AddressRules): readonly Webhook[] {
  const { file, place } = formOf(pubsubHost, rules);
  const parsed = file.safeParse(content);
  const problems = parsed.error?.issues.map(({ path, message }) => `  ${placeOf(path)}: ${message}`) ?? [];
  const list: unknown = (content as { readonly webhooks?: unknown } | null)?.webhooks;
  const seen = new Map<string, number>();
  for (const [index, entry] of (Array.isArray(list) ? list : []).entries()) {
    const { data } = place.safeParse(entry);
    if (!data) continue;
    const key = JSON.stringify([data.topic, data.url.href]);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else
      problems.push(
        `  webhooks[${index}]: has the topic and the URL of webhooks[${first}]; give that one all secrets`,
      );
  }
  if (!parsed.success || problems.length > 0)
    throw new ConfigError(`WEBHOOKS_FILE: some values are not valid:\n${problems.join('\n')}`);
  return parsed.data.webhooks;
}

const must = (be: string) => ({ error: `must be ${be}` });
const mustHave = (fields: string) => ({
  error: ({ code }: { readonly code?: string }) =>
    code === 'unrecognized_keys'
      ? `has a field that there is not; there is ${fields}`
      : `must be an object of ${fields}`,
});

/** The form of the file, and of what tells a webhook from others. */
function formOf(pubsubHost: string, rules: AddressRules) {
  const topic = z.string(must('a topic: projects/PROJECT/topics/TOPIC')).transform((value, context) => {
    const found = parseTopic(value, pubsubHost);
    if ('topic' in found) return found.topic;
    context.addIssue(found.problem);
    return z.NEVER;
  });
  const url = z.string(must('a URL')).transform((value, context) => {
    const found = URL.canParse(value) ? new URL(value) : undefined;
    const problem = found ? problemOf(found, value, rules) : 'must be a valid URL that starts with https://';
    if (found && problem === undefined) return found;
    context.addIssue(problem ?? '');
    return z.NEVER;
  });
  const secret = z.string(must('a text')).transform((value, context) => {
    const [, encoded = ''] = /^whsec_(.*)$/s.exec(value) ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    if (bytes.toString('base64') === encoded && bytes.length >= 24 && bytes.length <= 64) return bytes;
    context.addIssue('must be whsec_ and 24 to 64 bytes in base64');
    return z.NEVER;
  });
  const some = 'must have one to ten secrets';
  const secrets = z
    .array(secret, must('a list of one to ten secrets'))
    .min(1, some)
    .max(10, some)
    .refine(
      (all) => new Set(all.map((bytes) => bytes.toString('base64'))).size === all.length,
      'must have each secret once',
    );
  const webhook = z.strictObject({ topic, url, secrets }, mustHave('topic, url and secrets'));
  return {
    file: z.strictObject({ webhooks: z.array(webhook, must('a list of webhooks')) }, mustHave('webhooks')),
    place: z.object({ topic, url }),
  };
}

function problemOf(
  { protocol, hostname, port, username, password }: URL,
  text: string,
  rules: AddressRules,
): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'must start with https://';
  // A URL parser mends what is no URL as it stands.
  if (!/^https?:\/\/[^\s\\]+$/i.test(text))
    return 'must start with https://, and have neither blanks nor backslashes';
  if (port === '0') return 'must have another port than 0';
  if (username !== '' || password !== '')
    return 'must have neither user nor password: signatures tell who sends';
  if (text.includes('#')) return 'must have no fragment (#), which is never sent';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isName = isIP(host) === 0;
  const refusal = isName ? rules.refusalOfName(protocol) : rules.refusalOf(host, protocol);
  return refusal && `${isName ? 'its host' : host} ${refusal}`;
}

const placeOf = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '') || 'the file';
