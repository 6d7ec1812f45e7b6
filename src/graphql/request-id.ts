import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

const current = new AsyncLocalStorage<string>();

/** Runs what belongs to a request under its id. */
export const withRequestId = <T>(id: string, run: () => T): T => current.run(id, run);

/** The id of the request at work, for what fails before there is a context to carry it. */
export const currentRequestId = (): string => current.getStore() ?? randomUUID();
