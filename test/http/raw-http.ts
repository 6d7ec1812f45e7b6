import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { startGateway, type TestGateway } from '../harness.ts';

/** An HTTP response as sent over the socket. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Listens on a free loopback port, and returns the port. */
export async function listenOnFreePort({ app }: TestGateway): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

/** Starts a gateway that listens on loopback; `url` is its GraphQL endpoint. */
export async function startListening(...startArgs: Parameters<typeof startGateway>) {
  const gateway = await startGateway(...startArgs);
  const port = await listenOnFreePort(gateway);
  return { ...gateway, port, url: `http://127.0.0.1:${port}/graphql` };
}

/** Connects to a loopback port. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Opens a connection, sends bytes, and reads the response until the server closes the connection. */
export async function exchangeBytes(port: number, bytes: string): Promise<RawAnswer> {
  const socket = await openSocket(port);
  socket.write(bytes);
  return parseAnswer(await text(socket));
}

export function parseAnswer(responseText: string): RawAnswer {
  const [head = '', body = ''] = responseText.split(/\r\n\r\n(.*)/s);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body,
  };
}
