import type { EntryPoint } from '../model/fields.ts';
import { contentJson } from './content.ts';

/** The number under which hosted calls are reached by phone, and its region (ISO 3166). */
export const dialIn = { uri: 'tel:+1-202-555-0143', label: '+1 202-555-0143', regionCode: 'US' } as const;

/**
 * Entry points with the region codes that this service knows (event resource, section 2, regionCode: populated by
 * the backend, for phone entry points only): of the stored entry that is otherwise the same, or of its own number.
 * One that a client sent is never taken over.
 */
export function withRegionCodes(entries: readonly EntryPoint[], stored: readonly EntryPoint[]): EntryPoint[] {
  const known = new Map<string | undefined, string | undefined>();
  for (const entry of stored) known.set(keyOf(entry), entry.regionCode);
  return entries.map((entry) => {
    const { regionCode: _, ...rest } = entry;
    const regionCode =
      rest.entryPointType === 'phone' ? (known.get(keyOf(entry)) ?? ownRegion(rest.uri)) : undefined;
    return regionCode === undefined ? rest : { ...rest, regionCode };
  });
}

function keyOf(entry: EntryPoint): string | undefined {
  return contentJson({ ...entry, regionCode: undefined });
}

/** A comma ends the number and begins what is dialled after it. */
function ownRegion(uri: string | undefined): string | undefined {
  return `${uri},`.startsWith(`${dialIn.uri},`) ? dialIn.regionCode : undefined;
}
