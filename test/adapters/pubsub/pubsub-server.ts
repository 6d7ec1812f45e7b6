import type { IncomingMessage, ServerResponse } from 'node:http';
import { Ajv } from 'ajv';
import { serve } from '../../loopback.ts';

const base64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';
/** `PublishRequest` and `PubsubMessage` of the discovery document of Pub/Sub v1; what only the server sets is left out. */
const isPublishRequest = new Ajv().compile<{ messages: Published[] }>({
  type: 'object',
  required: ['messages'],
  additionalProperties: false,
  properties: {
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          data: { type: 'string', pattern: base64 },
          attributes: { type: 'object', additionalProperties: { type: 'string' } },
          orderingKey: { type: 'string' },
        },
      },
    },
  },
});

export interface Published {
  readonly data?: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly orderingKey: string;
}

/** How it answers a request that is right. */
export type Respond = (
  response: ServerResponse,
  request: { topic: string; messages: readonly Published[]; headers: IncomingMessage['headers'] },
) => unknown;

/** A message as the contract of publishers has it, its id among the attributes. */
export const arrivedOf = ({
  data = '',
  attributes: { id = '', ...attributes } = {},
}: Partial<Published>) => ({ id, attributes, data: Buffer.from(data, 'base64').toString() });

export const refuse = (response: ServerResponse, code: number, status: string): void =>
  void response
    .writeHead(code, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { code, message: 'It is a "secret" why.', status } }));

export type PubSubServer = Awaited<ReturnType<typeof startPubSubServer>>;

/** A server that takes requests as Pub/Sub documents them, and refuses all others. It has every topic that is asked for. */
export async function startPubSubServer() {
  const published = new Map<string, Published[]>();
  let ids = 0;
  const publish: Respond = (response, { topic, messages }) => {
    published.set(topic, [...(published.get(topic) ?? []), ...messages]);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ messageIds: messages.map(() => String((ids += 1))) }));
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const [, ...parts] = /^\/v1\/projects\/([^/?]+)\/topics\/([^/?]+):publish$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'POST' || parts.length !== 2) return refuse(response, 404, 'NOT_FOUND');
    const [project, name] = parts.map(decodeURIComponent);
    const topic = `projects/${project}/topics/${name}`;
    self.requests.push({ topic, authorization: request.headers.authorization });
    const body: unknown = JSON.parse(bytes.toString());
    if (!request.headers['content-type']?.startsWith('application/json') || !isPublishRequest(body))
      return refuse(response, 400, 'INVALID_ARGUMENT');
    const { messages } = body;
    if (bytes.byteLength > 10_000_000 || messages.length > 1000 || messages.some(isTooBig))
      return refuse(response, 400, 'INVALID_ARGUMENT');
    if (new Set(messages.map(({ orderingKey }) => orderingKey)).size > 1)
      return refuse(response, 400, 'FAILED_PRECONDITION');
    await (self.respond ?? publish)(response, { topic, messages, headers: request.headers });
  }

  const { host, close } = await serve((...asked) => void answer(...asked));
  const self = {
    host,
    /** What has been published on `projects/P/topics/T`, oldest first. */
    on: (topic: string): readonly Published[] => published.get(topic) ?? [],
    /** Every request so far: its topic and what proves who asks. */
    requests: [] as { topic: string; authorization?: string }[],
    /** How requests are answered from now on; nothing: they are published. */
    respond: undefined as Respond | undefined,
    publish,
    close,
  };
  return self;
}

/** Limits of one message: https://cloud.google.com/pubsub/quotas#resource_limits */
function isTooBig({ data = '', attributes = {}, orderingKey = '' }: Partial<Published>): boolean {
  const entries = Object.entries(attributes);
  return (
    (data === '' && entries.length === 0) ||
    entries.length > 100 ||
    Buffer.byteLength(orderingKey) > 1024 ||
    entries.some(([key]) => Buffer.byteLength(key) > 256 || key.startsWith('goog')) ||
    entries.some(([, value]) => Buffer.byteLength(value) > 1024)
  );
}
