import { startDefaultGateway, type TestGateway } from '../../harness.ts';
import { startLoopbackServer } from '../../loopback-server.ts';
import { sendTokenInfo } from '../services/services.ts';
import type { Replacements } from '../../../src/app.ts';

/**
 * Starts a gateway in front of the REST face of another one, which has the data. `stores` are those of the
 * other one, and `close` ends both.
 */
export async function startFrontGateway(
  env: Readonly<Record<string, string>> = {},
  replacements: Replacements = {},
): Promise<TestGateway> {
  const { clock } = replacements;
  const tokenInfoServer = await startLoopbackServer((request, response) => {
    let formText = '';
    request
      .setEncoding('utf8')
      .on('data', (part: string) => (formText += part))
      .on('end', () => sendTokenInfo(response, new URLSearchParams(formText).get('access_token') ?? ''));
  });
  const service = await startDefaultGateway({ ...env, REST: 'on' }, replacements);
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const front = await startDefaultGateway(
    {
      ...env,
      AUTH_JWT_SECRET: '',
      UPSTREAM: 'calendar,storage',
      UPSTREAM_CALENDAR_URL: `${url}/calendar/v3`,
      UPSTREAM_STORAGE_URL: `${url}/storage/v1`,
      UPSTREAM_TOKENINFO_URL: tokenInfoServer.url,
      UPSTREAM_POLL_SECONDS: '1',
    },
    clock ? { clock } : {},
  );
  return {
    ...front,
    stores: service.stores,
    // Drops warnings that the service decides on changed instances: this service decides as the gateway does.
    async ask(...args) {
      const answer = await front.ask(...args);
      const warnings = answer.warnings?.filter(
        ({ path, reason }) => reason !== 'incomplete' || path.join('.') !== 'event.start',
      );
      return { ...answer, warnings: warnings?.length ? warnings : undefined };
    },
    async close() {
      await front.close();
      await tokenInfoServer.close();
      await service.close();
    },
  };
}
