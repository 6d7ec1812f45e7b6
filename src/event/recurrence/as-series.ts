import type { EventCopy, EventRecord, Stamp } from '../model/record.ts';

/** An exception that has these fields as its series has them, those of a user's own too; the very same where it had them so. */
export function asSeries(exception: EventRecord, names: ReadonlySet<string>, identity: string, stamp: Stamp): EventRecord {
  const core = without(exception.core, names);
  const copy = exception.copies[exception.homeId];
  const home = copy && copyAsSeries(copy, names, identity, stamp);
  if (core === exception.core && home === copy) return exception;
  return {
    ...exception,
    version: exception.version + 1,
    ...(core !== exception.core && { core, coreStamp: stamp, openStamp: stamp }),
    copies: home ? { ...exception.copies, [exception.homeId]: home } : exception.copies,
  };
}

function copyAsSeries(copy: EventCopy, names: ReadonlySet<string>, identity: string, stamp: Stamp): EventCopy {
  const own = without(copy.own, names);
  const viewer = copy.viewers?.[identity];
  const kept = viewer && without(viewer.own, names);
  if (own === copy.own && kept === viewer?.own) return copy;
  return {
    ...copy,
    ...(own !== copy.own && { own, stamp }),
    ...(kept && kept !== viewer?.own && { viewers: { ...copy.viewers, [identity]: { stamp, own: kept } } }),
  };
}

function without<T extends object>(fields: T, names: ReadonlySet<string>): T {
  const rest = Object.entries(fields).filter(([name]) => !names.has(name));
  return rest.length === Object.keys(fields).length ? fields : (Object.fromEntries(rest) as T);
}
