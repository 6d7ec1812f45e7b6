import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { startGateway, type TestGateway } from '../harness.ts';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Listens on loopback; the port. */
export async function listen({ app }: TestGateway): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

/** A gateway that listens at a port of loopback, with GraphQL at its `url`. */
export async function startListening(...parts: Parameters<typeof startGateway>) {
  const gateway = await startGateway(...parts);
  const port = await listen(gateway);
  return { ...gateway, port, url: `http://127.0.0.1:${port}/graphql` };
}

export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Sends these bytes, and reads until the server closes the connection. */
export async function exchange(port: number, bytes: string): Promise<RawAnswer> {
  const socket = await open(port);
  socket.write(bytes);
  return answerOf(await text(socket));
}

export function answerOf(wire: string): RawAnswer {
  const [head = '', body = ''] = wire.split(/\r\n\r\n(.*)/s);
  const [start = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  return {
    status: Number(start.split(' ')[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body,
  };
}
