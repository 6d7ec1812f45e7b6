import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { type CloudEvent, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { createAddressRules } from '../../../src/adapters/webhook/agent.ts';
import { createWebhookPublisher, type WebhookParts } from '../../../src/adapters/webhook/publisher.ts';

export const secret = Buffer.alloc(32, 7);
export const rules = createAddressRules(['127.0.0.0/8']);

export interface Received {
  readonly method?: string;
  readonly path?: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Receiver = Awaited<ReturnType<typeof opened>>;

async function opened(server: Server, received: Received[]) {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/hook?token=hidden`),
    port,
    received,
    /** Connections so far. */
    connections: () => connections,
    openSockets: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A server that remembers requests and answers them, with 204 if nothing else is said. */
export function startReceiver(
  answer: RequestListener = (_request, response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request
      .on('error', () => undefined)
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        const { method, url: path, headers } = request;
        received.push({ method, path, headers, body: Buffer.concat(parts).toString() });
        answer(request, response);
      });
  });
  return opened(server, received);
}

/** A message as other people's readers of signatures and CloudEvents see it. */
export function read({ headers, body }: Received, key = secret): CloudEvent<unknown> {
  new Webhook(key.toString('base64')).verify(body, headers as Record<string, string>);
  const event = HTTP.toEvent({ headers, body }) as CloudEvent<unknown>;
  event.validate();
  return event;
}

/** A server that does what it likes with a socket. */
export const startSockets = (
  onSocket: (socket: Socket) => unknown,
  allowHalfOpen = false,
): Promise<Receiver> =>
  opened(
    createTcpServer({ allowHalfOpen }, (socket) => void onSocket(socket)),
    [],
  );

/** A publisher for a URL that may reach this machine. */
export const publisherFor = (url: URL | string, parts: Partial<WebhookParts> = {}) =>
  createWebhookPublisher({ url: new URL(url), secrets: [secret] }, { rules, ...parts });
