import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { createAddressRules, type AddressRules, findUrlProblem } from '../adapters/webhook/address-rules.ts';
import { shortDigest, createWebhookDestinations, type Webhook } from '../adapters/webhook/publisher.ts';
import { ConfigError, type Config } from '../config.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { OutgoingMessage } from '../notification/notification.store.ts';
import { parseTopic } from '../notification/notification.fields.ts';
import type { Destination } from '../outbox/destination.ts';

/** Opens the webhooks of WEBHOOKS_FILE. Throws a ConfigError with all invalid paths, but without values: they may be secret. */
export function openWebhooks(
  { webhooks: { file, networks }, pubsubHost }: Config,
  clock: Clock,
): readonly Destination<OutgoingMessage>[] {
  if (file === undefined) return [];
  const text = readText(file);
  const rules = createAddressRules(networks);
  const webhooks = readWebhooks(parseContent(text, file), pubsubHost, rules);
  return createWebhookDestinations({ webhooks, version: shortDigest(text), rules, clock });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`WEBHOOKS_FILE: ${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Parses JSON. The error only passes on the position: the parser's message may quote secrets. */
function parseContent(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position \d+/.exec((error as Error).message)?.[0];
    throw new ConfigError(
      `WEBHOOKS_FILE: ${file} is not JSON${position === undefined ? '' : `: look ${position}`}.`,
    );
  }
}

/** Validates the content of the file. Topics get their full form. */
function readWebhooks(content: unknown, pubsubHost: string, rules: AddressRules): readonly Webhook[] {
  const { fileSchema, identitySchema } = createWebhookSchemas(pubsubHost, rules);
  const result = fileSchema.safeParse(content);
  const problems =
    result.error?.issues.map(({ path, message }) => `  ${formatPropertyPath(path)}: ${message}`) ?? [];
  const webhookEntries: unknown = (content as { readonly webhooks?: unknown } | null)?.webhooks;
  const indexByKey = new Map<string, number>();
  for (const [index, entry] of (Array.isArray(webhookEntries) ? webhookEntries : []).entries()) {
    const { data } = identitySchema.safeParse(entry);
    if (!data) continue;
    const key = JSON.stringify([data.topic, data.url.href]);
    const firstIndex = indexByKey.get(key);
    if (firstIndex === undefined) indexByKey.set(key, index);
    else
      problems.push(
        `  webhooks[${index}]: has the topic and the URL of webhooks[${firstIndex}]; give that one all secrets`,
      );
  }
  if (!result.success || problems.length > 0)
    throw new ConfigError(`WEBHOOKS_FILE: some values are not valid:\n${problems.join('\n')}`);
  return result.data.webhooks;
}

/** Option of a schema: the message for a value of another kind. */
const mustBe = (description: string) => ({ error: `must be ${description}` });
/** Option of an object's schema: the message for another value, or for unknown fields. */
const mustHave = (fields: string) => ({
  error: ({ code }: { readonly code?: string }) =>
    code === 'unrecognized_keys'
      ? `has an unknown field; there is ${fields}`
      : `must be an object of ${fields}`,
});

const minSecretBytes = 24;
const maxSecretBytes = 64;

/** Creates the schema of the file, and that of the fields by which two webhooks are the same. */
function createWebhookSchemas(pubsubHost: string, rules: AddressRules) {
  const topic = z.string(mustBe('a topic: projects/PROJECT/topics/TOPIC')).transform((value, context) => {
    const { topic, problem } = parseTopic(value, pubsubHost);
    if (topic !== undefined) return topic;
    context.addIssue(problem);
    return z.NEVER;
  });
  const url = z.string(mustBe('a URL')).transform((value, context) => {
    const parsedUrl = URL.canParse(value) ? new URL(value) : undefined;
    const problem = parsedUrl
      ? findUrlProblem(parsedUrl, value, rules)
      : 'must be a valid URL that starts with https://';
    if (parsedUrl && problem === undefined) return parsedUrl;
    context.addIssue(problem ?? '');
    return z.NEVER;
  });
  const secret = z.string(mustBe('a text')).transform((value, context) => {
    const [, encodedSecret = ''] = /^whsec_(.*)$/s.exec(value) ?? [];
    const bytes = Buffer.from(encodedSecret, 'base64');
    if (
      bytes.toString('base64') === encodedSecret &&
      bytes.length >= minSecretBytes &&
      bytes.length <= maxSecretBytes
    )
      return bytes;
    context.addIssue(`must be whsec_ and ${minSecretBytes} to ${maxSecretBytes} bytes in base64`);
    return z.NEVER;
  });
  const secretCountMessage = 'must have one to ten secrets';
  const secrets = z
    .array(secret, mustBe('a list of one to ten secrets'))
    .min(1, secretCountMessage)
    .max(10, secretCountMessage)
    .refine(
      (list) => new Set(list.map((bytes) => bytes.toString('base64'))).size === list.length,
      'must have each secret once',
    );
  const webhook = z.strictObject({ topic, url, secrets }, mustHave('topic, url and secrets'));
  return {
    fileSchema: z.strictObject(
      { webhooks: z.array(webhook, mustBe('a list of webhooks')) },
      mustHave('webhooks'),
    ),
    identitySchema: z.object({ topic, url }),
  };
}

/** Writes a path as in JavaScript, such as `webhooks[0].url`. */
const formatPropertyPath = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '') || 'the file';
