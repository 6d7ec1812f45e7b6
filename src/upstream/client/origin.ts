import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';

/** Connections held at once to one service, and kept while nothing is under way. */
const pool = { keepAlive: true, maxSockets: 256, maxFreeSockets: 32, timeout: 10_000 };

/** One scheme, host and port that requests go to, with connections of its own. */
export interface Origin {
  readonly host: string;
  /** What the paths of requests start with, without a slash at the end. */
  readonly base: string;
  readonly isSecure: boolean;
  readonly send: typeof httpRequest;
  readonly options: {
    readonly protocol: string;
    readonly hostname: string;
    readonly port?: number | string | null;
    readonly agent: HttpAgent;
  };
  close(): void;
}

export function createOrigin(base: string): Origin {
  const url = new URL(base);
  const isSecure = url.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent(pool) : new HttpAgent(pool);
  const { hostname, port } = urlToHttpOptions(url);
  return {
    host: url.host,
    base: url.pathname.replace(/\/$/, ''),
    isSecure,
    send: isSecure ? httpsRequest : httpRequest,
    options: { protocol: url.protocol, hostname: hostname as string, port, agent },
    close: () => agent.destroy(),
  };
}
