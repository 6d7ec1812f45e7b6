import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import type { Replacements } from '../../../src/compose.ts';
import { startEvents, type EventGateway } from '../../event/event.harness.ts';

/** Says whose a token is, by what stands in it. */
export async function startTokenInfo(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    let form = '';
    request.setEncoding('utf8').on('data', (part: string) => (form += part)).on('end', () => {
      const known = claimsOf(new URLSearchParams(form).get('access_token') ?? '');
      response.writeHead(known ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(known ?? { error: 'invalid_token' }));
    });
  });
  return { url: await listening(server), close: () => void server.close().closeAllConnections() };
}

/** Numbers as texts, and no field that is unknown: as Google says it. */
function claimsOf(token: string): object | undefined {
  try {
    const { sub, email, scope, exp } = decodeJwt(token);
    return { sub, email, email_verified: 'true', scope, exp: `${exp}` };
  } catch {
    return undefined;
  }
}

export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface Through extends EventGateway {
  /** The gateway that plays the services. */
  readonly service: EventGateway;
}

/** A gateway in front of another one's REST face, which has the data. */
export async function startThrough(replacements: Replacements = {}, env: Readonly<Record<string, string>> = {}): Promise<Through> {
  const { clock } = replacements;
  const [service, info] = await Promise.all([startEvents(replacements, { REST: 'on' }), startTokenInfo()]);
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const front = await startEvents(clock ? { clock } : {}, {
    AUTH_JWT_SECRET: '', UPSTREAM: 'calendar', UPSTREAM_CALENDAR_URL: `${url}/calendar/v3`, UPSTREAM_TOKENINFO_URL: info.url, UPSTREAM_POLL_SECONDS: '1', ...env,
  });
  return {
    ...front,
    service,
    stores: service.stores,
    async close() {
      await front.close();
      info.close();
      await service.close();
    },
  };
}
