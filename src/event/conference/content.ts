import { canonicalJson } from '../../core/json.ts';
import type { ConferenceData, EntryPoint } from '../model/fields.ts';

/** Content that a signature covers: not what a client may change (notes, parameters), nor the request and region codes. */
export function signedContent(conference: ConferenceData): unknown {
  const { conferenceId, conferenceSolution, entryPoints = [] } = conference;
  return {
    conferenceId,
    conferenceSolution,
    entryPoints: entryPoints.map((entry) => ({ ...entry, regionCode: undefined })),
  };
}

/** Whether there is a conference at all, and not only notes or a request that is pending or failed. */
export function hasContent(conference: ConferenceData): boolean {
  return contentJson(signedContent(conference)) !== undefined;
}

/** Canonical JSON of the content; unset, null and empty values are the same, and undefined if there is nothing else. */
export function contentJson(value: unknown): string | undefined {
  const content = withoutEmpty(value);
  return content === undefined ? undefined : canonicalJson(content);
}

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((entry) => withoutEmpty(entry) ?? null);
  const fields = Object.entries(value)
    .map(([key, field]) => [key, withoutEmpty(field)] as const)
    .filter(([, field]) => field !== undefined);
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** The solution types a conference can be created as (event resource, section 2, conferenceSolution.key.type). */
export const creatableTypes = ['eventCall', 'eventNamedCall', 'hostedCall'] as const;
export type CreatableType = (typeof creatableTypes)[number];

/** The type of a conference that another provider made: the client describes it, and the server signs it. */
export const addOnType = 'addOn';

export const isCreatable = (type: string | null | undefined): type is CreatableType =>
  creatableTypes.some((known) => known === type);

export const typeOf = (conference: ConferenceData | undefined): string | undefined =>
  conference?.conferenceSolution?.key?.type;

/**
 * Entry points with the region codes that this service knows (event resource, section 2, regionCode: populated by
 * the backend, for phone entry points only): of the stored entry that is otherwise the same, or of its own number.
 * A code that a client sent is never taken over.
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

/** The number under which hosted calls are reached by phone, and its region (ISO 3166). */
export const dialIn = { uri: 'tel:+1-202-555-0143', label: '+1 202-555-0143', regionCode: 'US' } as const;
