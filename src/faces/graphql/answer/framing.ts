import type { Framing } from '../../../http/face.ts';

/** How long (ms) a client of server-sent events waits before it opens a stream again, unless it has a pause of its own. */
const retryMs = 2_000;

/** GraphQL over server-sent events, distinct connections mode. */
export const serverSentEvents: Framing = {
  type: 'text/event-stream; charset=utf-8',
  start: `retry: ${retryMs}\n\n`, // some browsers want to see a byte before they call it open
  heartbeat: ':\n\n',
  frame: ({ id, data }) => `${id === undefined ? '' : `id: ${id}\n`}event: next\ndata: ${data}\n\n`,
  end: 'event: complete\ndata:\n\n',
};

const boundary = 'graphql';
const delimiter = `--${boundary}`;

/** A part with the delimiter behind it: clients hand a part on when its delimiter arrives. */
const part = (json: string): string => `\r\nContent-Type: application/json\r\n\r\n${json}\r\n${delimiter}`;

/**
 * Apollo's protocol for subscriptions over HTTP multipart. Clients search for the delimiter as text, so that it is escaped in
 * strings; it stands nowhere else in JSON.
 */
export const multipart: Framing = {
  type: `multipart/mixed; boundary="${boundary}"; subscriptionSpec=1.0`,
  start: `${delimiter}${part('{}')}`,
  heartbeat: part('{}'),
  frame({ data, isEnd }) {
    const json = data.replaceAll(delimiter, `\\u002d-${boundary}`);
    return part(isEnd ? `{"payload":null,${json.slice(1)}` : `{"payload":${json}}`);
  },
  end: '--\r\n',
};
