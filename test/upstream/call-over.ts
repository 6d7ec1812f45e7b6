import type { FastifyInstance } from 'fastify';
import inject from 'light-my-request';
import {
  ServiceRefusal,
  type Call,
  type Reply,
  type UpstreamClient,
} from '../../src/upstream/client/call.ts';

/** Stands between the gateway and the service: answers in its place, or lets a call through. */
export type Between = (call: Call, through: () => Promise<Reply>) => Promise<Reply>;

/** What a gateway in front of a service asked it. */
export interface Asked {
  /** What was called, in order. */
  readonly calls: Call[];
  /** `events.get` and so on, since the last look. */
  asked(): readonly string[];
  /** Takes the place of the service's answers until the next `between`. */
  between(one: Between | undefined): void;
}

/** A client of services that keeps what is called. `send` carries a call out. */
export function recordingClient(
  send: (call: Call, token: string) => Promise<Reply>,
): Asked & { readonly client: UpstreamClient } {
  const calls: Call[] = [];
  let seen = 0;
  let inBetween: Between | undefined;
  return {
    calls,
    asked() {
      const now = calls.slice(seen).map(({ method }) => method);
      seen = calls.length;
      return now;
    },
    between: (one) => void (inBetween = one),
    client: {
      call(call, { token }) {
        calls.push(call);
        const through = (): Promise<Reply> => send(call, token);
        return inBetween ? inBetween(call, through) : through();
      },
      close: () => undefined,
    },
  };
}

/** Of one call: PUT is what only faces know. */
export type Carried = Omit<Call, 'verb'> & { readonly verb: Call['verb'] | 'PUT' };

/** Carries a call out over a gateway's REST face, as the client of the services does. */
export async function callOver(
  { app }: { readonly app: FastifyInstance },
  base: string,
  { verb, path, query = {}, body, ifMatch }: Carried,
  token: string,
): Promise<Reply> {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, String(value)] as const],
  );
  const url = `${base}/${path.map(encodeURIComponent).join('/')}?${new URLSearchParams(Object.fromEntries(given)).toString()}`;
  const response = await inject((request, reply) => void app.server.emit('request', request, reply), {
    method: verb,
    url,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    ...(body && { payload: JSON.stringify(body) }),
  });
  const json = (response.body === '' ? undefined : JSON.parse(response.body)) as
    { error?: { errors: { reason: string; message: string; location?: string }[] } } | undefined;
  const [first] = json?.error?.errors ?? [];
  if (response.statusCode >= 400)
    throw new ServiceRefusal(response.statusCode, first?.reason ?? '', first?.message ?? '', first?.location);
  return { status: response.statusCode, body: json };
}
