import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { type CloudEvent, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { createAddressRules } from '../../../src/adapters/webhook/address-rules.ts';
import { createWebhookPublisher, type WebhookDependencies } from '../../../src/adapters/webhook/publisher.ts';

/** The secret that signs requests of test publishers. */
export const secret = Buffer.alloc(32, 7);
/** Address rules that allow receivers on loopback. */
export const rules = createAddressRules(['127.0.0.0/8']);

export interface ReceivedRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server on loopback, with the requests that it has received. */
export type Receiver = Awaited<ReturnType<typeof startListening>>;

async function startListening(server: Server, received: ReceivedRequest[]) {
  const sockets = new Set<Socket>();
  let connectionCount = 0;
  server.on('connection', (socket: Socket) => {
    connectionCount += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/hook?token=hidden`),
    port,
    received,
    /** Returns the number of connections since the start. */
    connections: () => connectionCount,
    openSockets: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts an HTTP server that records requests and answers them, by default with 204. */
export function startReceiver(
  respond: RequestListener = (_request, response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const { method, url: path, headers } = request;
        received.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
        respond(request, response);
      });
  });
  return startListening(server, received);
}

/** Verifies signature and CloudEvent of a request with third-party libraries, and returns the event. */
export function verifyEvent({ headers, body }: ReceivedRequest, key = secret): CloudEvent<unknown> {
  new Webhook(key.toString('base64')).verify(body, headers as Record<string, string>);
  const event = HTTP.toEvent({ headers, body }) as CloudEvent<unknown>;
  event.validate();
  return event;
}

/** Starts a TCP server with a handler for each socket. */
export const startSockets = (
  onSocket: (socket: Socket) => unknown,
  allowHalfOpen = false,
): Promise<Receiver> =>
  startListening(
    createTcpServer({ allowHalfOpen }, (socket) => void onSocket(socket)),
    [],
  );

/** Creates a publisher for a URL that may be on loopback. */
export const createTestPublisher = (url: URL | string, options: Partial<WebhookDependencies> = {}) =>
  createWebhookPublisher({ url: new URL(url), secrets: [secret] }, { rules, ...options });
