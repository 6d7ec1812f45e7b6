import { startAlone, type TestGateway } from '../../harness.ts';
import { serve } from '../../loopback.ts';
import { tokenInfo } from '../services/services.ts';
import type { Replacements } from '../../../src/app.ts';

/** A gateway in front of another one's REST face, which has the data. It is asked about tokens what stands in them. */
export async function startThrough(
  env: Readonly<Record<string, string>> = {},
  replacements: Replacements = {},
): Promise<TestGateway> {
  const { clock } = replacements;
  const info = await serve((request, response) => {
    let form = '';
    request
      .setEncoding('utf8')
      .on('data', (part: string) => (form += part))
      .on('end', () => tokenInfo(response, new URLSearchParams(form).get('access_token') ?? ''));
  });
  const service = await startAlone({ ...env, REST: 'on' }, replacements);
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const front = await startAlone(
    {
      ...env,
      AUTH_JWT_SECRET: '',
      UPSTREAM: 'calendar,storage',
      UPSTREAM_CALENDAR_URL: `${url}/calendar/v3`,
      UPSTREAM_STORAGE_URL: `${url}/storage/v1`,
      UPSTREAM_TOKENINFO_URL: info.url,
      UPSTREAM_POLL_SECONDS: '1',
    },
    clock ? { clock } : {},
  );
  return {
    ...front,
    stores: service.stores,
    // Warnings that the service decides on changed instances are left out: this service decides as the gateway does.
    async ask(...asked) {
      const answer = await front.ask(...asked);
      const warnings = answer.warnings?.filter(
        ({ path, reason }) => reason !== 'incomplete' || path.join('.') !== 'event.start',
      );
      return { ...answer, warnings: warnings?.length ? warnings : undefined };
    },
    async close() {
      await front.close();
      await info.close();
      await service.close();
    },
  };
}
