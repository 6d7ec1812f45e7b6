// Load generator: sends requests over keep-alive connections, one at a time on each, and measures them.
import { connect } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Parses a response; undefined while it is incomplete. */
function parseResponse(bytes) {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  const isComplete =
    length === undefined
      ? bytes.subarray(-lastChunk.length).equals(lastChunk)
      : bytes.length >= end + 4 + Number(length);
  return isComplete ? { status: Number(head.slice(9, 12)), body: bytes.subarray(end + 4) } : undefined;
}

/**
 * Keeps `connections` busy for `ms`, or for a number of `requests`. `requestOf`: makes the next request from a token, a body
 * and optionally a request line (default: GraphQL). Resolves to the sorted response times in ms. Rejects at the first
 * response that is not 200 or has errors. `awake`: never sleeps, because waking up would be charged to slow servers.
 */
export function load({ port, connections, ms = Infinity, requests = Infinity, requestOf, awake = true }) {
  const times = [];
  let sent = 0;
  const until = performance.now() + ms;
  const head = `HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer `;
  const client = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let chunks = [];
      let started = 0;
      const send = () => {
        if (performance.now() >= until || sent >= requests) {
          socket.end();
          return resolve();
        }
        sent += 1;
        const { token, body, line = 'POST /graphql' } = requestOf();
        const type =
          body === undefined
            ? ''
            : `\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
        chunks = [];
        started = performance.now();
        socket.write(`${line} ${head}${token}${type}\r\n\r\n${body ?? ''}`);
      };
      socket.on('connect', send).on('error', reject);
      socket.on('data', (chunk) => {
        chunks.push(chunk);
        const response = parseResponse(chunks.length === 1 ? chunk : Buffer.concat(chunks));
        if (!response) return;
        times.push(performance.now() - started);
        if (response.status !== 200 || response.body.includes('"errors"')) {
          socket.destroy();
          return reject(new Error(`${response.status}: ${response.body.toString().slice(0, 500)}`));
        }
        send();
      });
    });
  let isRunning = awake;
  const stayAwake = () => void (isRunning && setImmediate(stayAwake));
  stayAwake();
  return Promise.all(Array.from({ length: connections }, client))
    .finally(() => (isRunning = false))
    .then(() => times.sort((a, b) => a - b));
}
