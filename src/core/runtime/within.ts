import { setMaxListeners } from 'node:events';

/**
 * Does some work with a signal that is aborted after `ms`, and with any of the given ones. Rejects then, whatever the work does
 * about it.
 */
export async function within<T>(
  ms: number,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signals.some(({ aborted }) => aborted)) throw over();
  const ending = new AbortController();
  const ended = new Promise<never>((_, reject) =>
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason as Error), { once: true }),
  );
  const timer = setTimeout(
    () => ending.abort(Object.assign(new Error(`no answer within ${ms} ms`), { code: 'ETIMEDOUT' })),
    ms,
  );
  const end = (): void => ending.abort(over());
  // As many as there are attempts at the same time.
  setMaxListeners(Infinity, ...signals);
  for (const signal of signals) signal.addEventListener('abort', end);
  try {
    return await Promise.race([ended, work(ending.signal)]);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', end);
  }
}

const over = (): Error => Object.assign(new Error('ended with the gateway'), { code: 'ABORT_ERR' });
