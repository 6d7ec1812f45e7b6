import type { ConferenceData } from '../model/fields.ts';

/**
 * What a signature covers: where the conference is and how to get in. Not covered: notes and parameters, which a
 * modifying client may change, the history of the request, and regionCode, which clients do not have to send back.
 */
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
  return canonicalJson(signedContent(conference)) !== undefined;
}

/**
 * One text for one meaning, or undefined for an empty one: the order of keys, and whether an unset field is absent,
 * null, an empty list or an empty object, make no difference. The order of a list does.
 */
export function canonicalJson(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : `[${value.map((item) => canonicalJson(item) ?? 'null').join(',')}]`;
  }
  const fields = Object.entries(value).flatMap(([key, item]) => {
    const text = canonicalJson(item);
    return text === undefined ? [] : [[key, text] as const];
  });
  if (fields.length === 0) return undefined;
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}
