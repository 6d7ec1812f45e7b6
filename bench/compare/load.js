// Load generator: sends requests over keep-alive connections, one at a time on each, and measures them.
import { once } from 'node:events';
import { connect } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Parses a response; undefined while it is incomplete. */
function parseResponse(bytes) {
  const headLength = bytes.indexOf(headEnd);
  if (headLength < 0) return undefined;
  const head = bytes.toString('latin1', 0, headLength);
  const contentLength = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  const isComplete =
    contentLength === undefined
      ? bytes.subarray(-lastChunk.length).equals(lastChunk)
      : bytes.length >= headLength + headEnd.length + Number(contentLength);
  return isComplete
    ? { status: Number(head.slice(9, 12)), body: bytes.subarray(headLength + headEnd.length) }
    : undefined;
}

/** Opens a connection that sends one request at a time. */
async function openConnection(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let chunks = [];
  // Callbacks of the promise for the request that was sent last.
  let pendingRequest;
  const fail = (error) => {
    socket.destroy();
    pendingRequest?.reject(error);
  };
  socket.on('error', fail).on('close', () => fail(new Error('the server closed the connection')));
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    const response = parseResponse(chunks.length === 1 ? chunk : Buffer.concat(chunks));
    if (!response) return;
    if (response.status !== 200 || response.body.includes('"errors"'))
      return fail(new Error(`${response.status}: ${response.body.toString().slice(0, 500)}`));
    pendingRequest.resolve();
  });
  return {
    /** Resolves after a response of status 200 without errors; rejects after any other. */
    send: ({ token, body, requestLine = 'POST /graphql' }) =>
      new Promise((resolve, reject) => {
        [chunks, pendingRequest] = [[], { resolve, reject }];
        const contentHeaders =
          body === undefined
            ? ''
            : `\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
        socket.write(
          `${requestLine} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}${contentHeaders}\r\n\r\n${body ?? ''}`,
        );
      }),
    close: () => socket.destroy(),
  };
}

/**
 * Keeps `connections` busy for `ms`, or for a number of `requests`. Resolves to the sorted response times in
 * ms, by the wall clock and by the clock `cpuMs`. Rejects at the first response that is not 200 or has
 * errors.
 * `requestOf`: creates the next request: a token, a body, and optionally a request line (default: GraphQL).
 * `answersFirst`: whether each connection gets one response before the measurement starts.
 * `onStart`: called when the measurement starts.
 * `staysAwake`: never sleeps, because slow servers would be charged for the time that waking up takes.
 */
export async function generateLoad({
  port,
  connections,
  ms = Infinity,
  requests = Infinity,
  requestOf,
  staysAwake = true,
  answersFirst = true,
  onStart = () => undefined,
  cpuMs = () => 0,
}) {
  let isAwake = staysAwake;
  const stayAwake = () => void (isAwake && setImmediate(stayAwake));
  stayAwake();
  const openConnections = [];
  const [timesMs, cpuTimesMs] = [[], []];
  try {
    for (let index = 0; index < connections; index += 1) openConnections.push(await openConnection(port));
    if (answersFirst) await Promise.all(openConnections.map(({ send }) => send(requestOf())));
    onStart();
    const deadline = performance.now() + ms;
    let sentCount = 0;
    await Promise.all(
      openConnections.map(async ({ send }) => {
        while (performance.now() < deadline && sentCount < requests) {
          sentCount += 1;
          const request = requestOf();
          const [startedAt, cpuBeforeMs] = [performance.now(), cpuMs()];
          await send(request);
          timesMs.push(performance.now() - startedAt);
          cpuTimesMs.push(cpuMs() - cpuBeforeMs);
        }
      }),
    );
  } finally {
    isAwake = false;
    for (const { close } of openConnections) close();
  }
  return { times: timesMs.sort((a, b) => a - b), cpuTimes: cpuTimesMs.sort((a, b) => a - b) };
}
