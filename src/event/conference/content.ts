import { canonicalJson } from '../../core/kernel/canonical-json.ts';
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
  return contentJson(signedContent(conference)) !== undefined;
}

/**
 * Canonical JSON of the content, undefined for none: an unset field, null, an empty list and an empty object are the
 * same, and keys have one order.
 */
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
