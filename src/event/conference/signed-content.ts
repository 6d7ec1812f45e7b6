import { canonicalJson } from '../../core/json.ts';
import type { ConferenceData, EntryPoint } from '../model/fields.ts';

/**
 * Content that a conference's signature covers. Excluded are notes and parameters, which clients may change,
 * the request, and region codes.
 */
export function signedContent(conference: ConferenceData): unknown {
  const { conferenceId, conferenceSolution, entryPoints = [] } = conference;
  return {
    conferenceId,
    conferenceSolution,
    entryPoints: entryPoints.map((entry) => ({ ...entry, regionCode: undefined })),
  };
}

/** Whether conference data has a conference, and not only notes or a pending or failed request. */
export function hasContent(conference: ConferenceData): boolean {
  return contentJson(signedContent(conference)) !== undefined;
}

/** Canonical JSON of the content without unset, null and empty values; undefined if there is nothing else. */
export function contentJson(value: unknown): string | undefined {
  const content = withoutEmptyValues(value);
  return content === undefined ? undefined : canonicalJson(content);
}

function withoutEmptyValues(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((entry) => withoutEmptyValues(entry) ?? null);
  const fields = Object.entries(value)
    .map(([key, field]) => [key, withoutEmptyValues(field)] as const)
    .filter(([, field]) => field !== undefined);
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** Solution types that can be created. `google/api-differences.ts` maps Google's names to them. */
export const creatableTypes = ['eventCall', 'eventNamedCall', 'hostedCall'] as const;
export type CreatableType = (typeof creatableTypes)[number];

/** Type of another provider's conference: the client describes it, and the server signs it. */
export const addOnType = 'addOn';

export const isCreatableType = (type: string | null | undefined): type is CreatableType =>
  creatableTypes.some((creatableType) => creatableType === type);

/** Type of a conference: a creatable type, `addOn`, or a text that is unknown here. */
export const solutionTypeOf = (conference: ConferenceData | undefined): string | undefined =>
  conference?.conferenceSolution?.key?.type;

/** Sets region codes of phone entry points. Codes that a client sent are ignored. */
export function withRegionCodes(
  entries: readonly EntryPoint[],
  storedEntries: readonly EntryPoint[],
): EntryPoint[] {
  const regionCodesByKey = new Map<string | undefined, string | undefined>();
  for (const entry of storedEntries) regionCodesByKey.set(entryPointKey(entry), entry.regionCode);
  return entries.map((entry) => {
    const { regionCode: _, ...entryWithoutCode } = entry;
    const regionCode =
      entryWithoutCode.entryPointType === 'phone'
        ? (regionCodesByKey.get(entryPointKey(entry)) ?? dialInRegionOf(entryWithoutCode.uri))
        : undefined;
    return regionCode === undefined ? entryWithoutCode : { ...entryWithoutCode, regionCode };
  });
}

function entryPointKey(entry: EntryPoint): string | undefined {
  return contentJson({ ...entry, regionCode: undefined });
}

/** Region code of this service's number. A comma separates the number from the digits dialled after it. */
function dialInRegionOf(uri: string | undefined): string | undefined {
  return `${uri},`.startsWith(`${dialInNumber.uri},`) ? dialInNumber.regionCode : undefined;
}

/** Phone number of hosted calls and its region (ISO 3166). */
export const dialInNumber = {
  uri: 'tel:+1-202-555-0143',
  label: '+1 202-555-0143',
  regionCode: 'US',
} as const;
