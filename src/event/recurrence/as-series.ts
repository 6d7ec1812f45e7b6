import type { EventRecord, Stamp } from '../model/record.ts';

/** An exception that has these fields as its series has them; the very same where it had none of them by itself. */
export function asSeries(exception: EventRecord, names: readonly string[], stamp: Stamp): EventRecord {
  const rest = Object.entries(exception.core).filter(([name]) => !names.includes(name));
  if (rest.length === Object.keys(exception.core).length) return exception;
  return {
    ...exception,
    version: exception.version + 1,
    core: Object.fromEntries(rest),
    coreStamp: stamp,
    openStamp: stamp,
  };
}
