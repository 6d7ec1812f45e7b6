import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayProcess } from '../gateway-process.ts';

/** Repeats an attempt until it returns a value: gateways and servers that are killed return none. */
export async function retryUntilDefined<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const result = await attempt();
    if (result !== undefined) return result;
    await pause(50);
  }
}

/** Creates the function that sends a document to a random gateway, and returns its field `result`; undefined without one. */
export const createSender =
  (gateways: () => readonly GatewayProcess[]) =>
  async <T>(token: string, document: string, variables: object): Promise<T | undefined> => {
    const candidates = gateways();
    const gateway = candidates[Math.floor(Math.random() * candidates.length)] as GatewayProcess;
    const answer = await gateway.ask(token, document, variables);
    return (answer?.data as { readonly result?: T | null } | undefined)?.result ?? undefined;
  };
