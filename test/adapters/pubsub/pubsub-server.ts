import type { IncomingMessage, ServerResponse } from 'node:http';
import { Ajv } from 'ajv';
import { startLoopbackServer } from '../../loopback-server.ts';

const base64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';
/** `PublishRequest` of the discovery document of Pub/Sub v1, without output-only fields. */
const isPublishRequest = new Ajv().compile<{ messages: PublishedMessage[] }>({
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

/** A message of a publish request. `data` is base64. */
export interface PublishedMessage {
  readonly data?: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly orderingKey: string;
}

/** Writes the response to a valid publish request. */
export type Respond = (
  response: ServerResponse,
  request: { topic: string; messages: readonly PublishedMessage[]; headers: IncomingMessage['headers'] },
) => unknown;

/** Converts a published message, with its id in the attributes, to the form of the publisher contract. */
export const toReceivedMessage = ({
  data = '',
  attributes: { id = '', ...attributes } = {},
}: Partial<PublishedMessage>) => ({ id, attributes, data: Buffer.from(data, 'base64').toString() });

/** Sends an error as Google's APIs do. Its message must not appear in logs or causes. */
export const refuse = (response: ServerResponse, code: number, status: string): void =>
  void response
    .writeHead(code, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { code, message: 'It is a "secret" why.', status } }));

export type PubSubServer = Awaited<ReturnType<typeof startPubSubServer>>;

/** Starts a server that accepts requests valid by the Pub/Sub documentation, for any topic. */
export async function startPubSubServer() {
  const messagesByTopic = new Map<string, PublishedMessage[]>();
  let lastId = 0;
  const publish: Respond = (response, { topic, messages }) => {
    messagesByTopic.set(topic, [...(messagesByTopic.get(topic) ?? []), ...messages]);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ messageIds: messages.map(() => String((lastId += 1))) }));
  };

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const [, ...pathParts] =
      /^\/v1\/projects\/([^/?]+)\/topics\/([^/?]+):publish$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'POST' || pathParts.length !== 2) return refuse(response, 404, 'NOT_FOUND');
    const [project, name] = pathParts.map(decodeURIComponent);
    const topic = `projects/${project}/topics/${name}`;
    server.requests.push({ topic, authorization: request.headers.authorization });
    const body: unknown = JSON.parse(bytes.toString());
    if (!request.headers['content-type']?.startsWith('application/json') || !isPublishRequest(body))
      return refuse(response, 400, 'INVALID_ARGUMENT');
    const { messages } = body;
    // A request has at most 10 MB and 1,000 messages (page of the quotas, see below).
    if (bytes.byteLength > 10_000_000 || messages.length > 1000 || messages.some(violatesLimits))
      return refuse(response, 400, 'INVALID_ARGUMENT');
    if (new Set(messages.map(({ orderingKey }) => orderingKey)).size > 1)
      return refuse(response, 400, 'FAILED_PRECONDITION');
    await (server.respond ?? publish)(response, { topic, messages, headers: request.headers });
  }

  const { host, close } = await startLoopbackServer((...args) => void handleRequest(...args));
  const server = {
    host,
    /** Returns the messages published on `projects/P/topics/T`, oldest first. */
    messagesOn: (topic: string): readonly PublishedMessage[] => messagesByTopic.get(topic) ?? [],
    requests: [] as { topic: string; authorization?: string }[],
    /** Answers later requests; if undefined, their messages are published. */
    respond: undefined as Respond | undefined,
    publish,
    close,
  };
  return server;
}

/** Whether a message exceeds a limit: https://cloud.google.com/pubsub/quotas#resource_limits */
function violatesLimits({
  data = '',
  attributes = {},
  orderingKey = '',
}: Partial<PublishedMessage>): boolean {
  const entries = Object.entries(attributes);
  return (
    (data === '' && entries.length === 0) ||
    entries.length > 100 ||
    Buffer.byteLength(orderingKey) > 1024 ||
    entries.some(([key]) => Buffer.byteLength(key) > 256 || key.startsWith('goog')) ||
    entries.some(([, value]) => Buffer.byteLength(value) > 1024)
  );
}
