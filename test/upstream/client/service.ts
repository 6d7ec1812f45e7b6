import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a service on loopback got it. */
export interface Got {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The number of its connection, from 0 on. */
  readonly connection: number;
}

export type Answer = (response: ServerResponse, got: Got) => void;

export interface FakeService {
  readonly url: string;
  readonly got: Got[];
  /** What is answered next, one after the other; the last goes on. */
  answers: readonly Answer[];
  stop(): Promise<void>;
}

/** Answers with a status and JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

/** Answers as the official APIs tell of errors. */
export const refusal = (
  status: number,
  reason: string,
  headers: Record<string, string> = {},
  more: object = {},
): Answer =>
  json(
    status,
    {
      error: {
        code: status,
        message: `Message of ${reason}`,
        errors: [{ domain: 'global', reason, message: `Message of ${reason}`, ...more }],
      },
    },
    headers,
  );

/** Ends the connection in the middle. */
export const reset: Answer = (response) => void response.socket?.resetAndDestroy();

/** Never answers. */
export const silent: Answer = () => undefined;

export async function startService(...answers: Answer[]): Promise<FakeService> {
  const connections: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const { method = '', url = '', headers, socket } = request;
        if (!connections.includes(socket)) connections.push(socket);
        const got = {
          method,
          url,
          headers,
          body: Buffer.concat(chunks).toString(),
          connection: connections.indexOf(socket),
        };
        service.got.push(got);
        const answer = service.answers[service.got.length - 1] ?? service.answers.at(-1);
        answer?.(response, got);
      });
  });
  const service: FakeService = {
    url: '',
    got: [],
    answers,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(service, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
