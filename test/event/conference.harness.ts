import type { ConferenceData } from '../../src/event/conference.ts';
import { applyConference, type AppliedConference } from '../../src/event/conference-apply.ts';
import type { ConferencePatch } from '../../src/event/conference-change.ts';
import { createConference, type ConferenceRequest } from '../../src/event/conference-create.ts';
import { isSigned, signConference } from '../../src/event/conference-signature.ts';

export const secret = 'a secret of the tests';
export const sign = (conference: ConferenceData): string => signConference(conference, secret);
const facts = { eventId: 'abc123', summary: 'Sync', linkBase: 'https://calls.example.com' };
export const create = (request: ConferenceRequest) => createConference(request, facts, sign);
export const stored = create({ requestId: 'r1', type: 'hostedCall' });
export const other = create({ requestId: 'r2', type: 'eventCall' });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The generic merge of the caller: null clears, objects field by field, the read-only parts taken out. */
function merge(before: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) return patch.map((item) => merge({}, { ...item, regionCode: undefined }));
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(before) ? { ...before } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key === 'status' || value === undefined) continue;
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

/** What becomes of a patch, with a real signature and real conferences. */
export function apply(
  before: ConferenceData | undefined,
  patch: ConferencePatch | null | undefined,
  callLink: string | undefined = before && stored.callLink,
): AppliedConference {
  const after = patch ? (merge(before, patch) as ConferenceData) : undefined;
  return applyConference({ before, callLink, patch, after }, { isSigned: (c) => isSigned(c, secret), create });
}

export const warned = ({ warnings }: AppliedConference): string[] =>
  warnings.map(({ path, reason }) => `${path.join('.')} ${reason}`);
export const kept = { conference: stored.conference, callLink: stored.callLink, changed: false, issues: [] };
