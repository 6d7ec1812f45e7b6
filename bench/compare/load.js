// Sends requests over kept connections, one at a time on each, and times them.
import { connect } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Whether an answer is there in full, and its status. */
function answerIn(bytes) {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  const whole =
    length === undefined
      ? bytes.subarray(-lastChunk.length).equals(lastChunk)
      : bytes.length >= end + 4 + Number(length);
  return whole ? { status: Number(head.slice(9, 12)), body: bytes.subarray(end + 4) } : undefined;
}

/**
 * Keeps `connections` busy for `ms`, or for so many `requests`; `requestOf` makes the next one, a token and a body, and a line
 * if it is not for GraphQL. Resolves to the times of the answers in ms, sorted. Rejects at the first answer that is not 200, or tells of errors. While `awake` it
 * never sleeps: waking it up would be charged to the server, and the more the slower that is.
 */
export function load({ port, connections, ms = Infinity, requests = Infinity, requestOf, awake = true }) {
  const times = [];
  let sent = 0;
  const until = performance.now() + ms;
  const head = `HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer `;
  const client = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let parts = [];
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
        parts = [];
        started = performance.now();
        socket.write(`${line} ${head}${token}${type}\r\n\r\n${body ?? ''}`);
      };
      socket.on('connect', send).on('error', reject);
      socket.on('data', (part) => {
        parts.push(part);
        const answer = answerIn(parts.length === 1 ? part : Buffer.concat(parts));
        if (!answer) return;
        times.push(performance.now() - started);
        if (answer.status !== 200 || answer.body.includes('"errors"')) {
          socket.destroy();
          return reject(new Error(`${answer.status}: ${answer.body.toString().slice(0, 500)}`));
        }
        send();
      });
    });
  let busy = awake;
  const stayAwake = () => void (busy && setImmediate(stayAwake));
  stayAwake();
  return Promise.all(Array.from({ length: connections }, client))
    .finally(() => (busy = false))
    .then(() => times.sort((a, b) => a - b));
}
