// Load generator: sends requests over keep-alive connections, one at a time on each, and measures them.
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

/**
 * Keeps `connections` busy for `ms`, or for a number of `requests`. `requestOf`: creates the next request from a token, a body
 * and optionally a request line (default: GraphQL). Resolves to the sorted response times in ms. Rejects at the first
 * response that is not 200 or has errors. `staysAwake`: never sleeps, or slow servers would be charged for waking it up.
 */
export function load({
  port,
  connections,
  ms = Infinity,
  requests = Infinity,
  requestOf,
  staysAwake = true,
}) {
  const times = [];
  let sentCount = 0;
  const deadline = performance.now() + ms;
  const headStart = `HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer `;
  const useConnection = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let chunks = [];
      let startedAt = 0;
      const send = () => {
        if (performance.now() >= deadline || sentCount >= requests) {
          socket.end();
          return resolve();
        }
        sentCount += 1;
        const { token, body, requestLine = 'POST /graphql' } = requestOf();
        const contentHeaders =
          body === undefined
            ? ''
            : `\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
        chunks = [];
        startedAt = performance.now();
        socket.write(`${requestLine} ${headStart}${token}${contentHeaders}\r\n\r\n${body ?? ''}`);
      };
      socket.on('connect', send).on('error', reject);
      socket.on('data', (chunk) => {
        chunks.push(chunk);
        const response = parseResponse(chunks.length === 1 ? chunk : Buffer.concat(chunks));
        if (!response) return;
        times.push(performance.now() - startedAt);
        if (response.status !== 200 || response.body.includes('"errors"')) {
          socket.destroy();
          return reject(new Error(`${response.status}: ${response.body.toString().slice(0, 500)}`));
        }
        send();
      });
    });
  let isAwake = staysAwake;
  const stayAwake = () => void (isAwake && setImmediate(stayAwake));
  stayAwake();
  return Promise.all(Array.from({ length: connections }, useConnection))
    .finally(() => (isAwake = false))
    .then(() => times.sort((a, b) => a - b));
}
