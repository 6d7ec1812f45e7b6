import type { FastifyInstance } from 'fastify';
import { StartError } from '../core/kernel/errors.ts';

/** Opens a server's port and returns its URL. Throws StartError that names the settings of the address. */
export async function listen(
  server: FastifyInstance,
  at: { readonly host: string; readonly port: number },
  variables: string,
): Promise<string> {
  // Fails for other reasons than the address.
  await server.ready();
  try {
    return await server.listen({ host: at.host, port: at.port });
  } catch (error) {
    throw new StartError(`${variables}: the gateway cannot listen there: ${(error as Error).message}`);
  }
}

/** The same for the metrics, where they have a port of their own. */
export async function listenForMetrics(
  server: FastifyInstance | undefined,
  at: { readonly host: string; readonly port: number } | undefined,
): Promise<void> {
  if (server && at) await listen(server, at, 'METRICS_PORT, METRICS_HOST');
}
