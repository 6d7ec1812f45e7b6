import type { FastifyInstance } from 'fastify';
import { StartError } from '../core/kernel/errors.ts';

/** Opens a server's port; gives its address. Where it cannot, the start is refused, and the message names the variables that say where. */
export async function listen(server: FastifyInstance, at: { readonly host: string; readonly port: number }, variables: string): Promise<string> {
  // What fails before it listens is no matter of the address.
  await server.ready();
  try {
    return await server.listen({ host: at.host, port: at.port });
  } catch (error) {
    throw new StartError(`${variables}: the gateway cannot listen there: ${(error as Error).message}`);
  }
}

/** The same for the metrics, where they have a port of their own. */
export async function listenForMetrics(server: FastifyInstance | undefined, at: { readonly host: string; readonly port: number } | undefined): Promise<void> {
  if (server && at) await listen(server, at, 'METRICS_PORT, METRICS_HOST');
}
