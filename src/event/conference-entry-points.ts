import type { Issue, Path } from '../core/errors.ts';
import { checkCount, checkLength, conferenceLimits } from './conference-limits.ts';

export type EntryPointType = 'video' | 'phone' | 'sip' | 'more';

/** One way into a conference (event resource, section 2, entryPoints[]). A field that is unset is absent. */
export interface EntryPoint {
  readonly entryPointType?: EntryPointType;
  readonly entryPointFeatures?: readonly string[];
  readonly uri?: string;
  readonly label?: string;
  readonly meetingCode?: string;
  readonly accessCode?: string;
  readonly passcode?: string;
  readonly password?: string;
  readonly pin?: string;
  readonly regionCode?: string;
}

const listPath: Path = ['conferenceData', 'entryPoints'];
const codes = ['meetingCode', 'accessCode', 'passcode', 'password', 'pin'] as const;
const single: readonly EntryPointType[] = ['video', 'sip', 'more'];

/** Schemes are case-insensitive (RFC 3986, section 3.1); a URI holds neither white space nor controls. */
const schemes: Readonly<Record<EntryPointType, { pattern: RegExp; form: string }>> = {
  video: { pattern: /^https?:\/\/[^/?#]/i, form: 'an absolute http: or https: URI' },
  more: { pattern: /^https?:\/\/[^/?#]/i, form: 'an absolute http: or https: URI' },
  phone: { pattern: /^tel:./i, form: 'a tel: URI with the whole dial sequence, such as tel:+12025550143,,1234%23' },
  sip: { pattern: /^sip:./i, form: 'a sip: URI, such as sip:call@example.com' },
};
const notInUri = /[\s\p{Cc}]/u;

/** Every broken rule of a conference's entry points (event resource, sections 2 and 8). */
export function checkEntryPoints(entries: readonly EntryPoint[]): Issue[] {
  const crowded = checkCount(listPath, entries.length, conferenceLimits.entryPoints);
  if (crowded.length > 0) return crowded;
  return [...checkTypes(entries), ...entries.flatMap((entry, index) => checkEntry(entry, [...listPath, index]))];
}

function checkTypes(entries: readonly EntryPoint[]): Issue[] {
  const issues: Issue[] = single.flatMap((type) => {
    const indexes = entries.flatMap((entry, index) => (entry.entryPointType === type ? [index] : []));
    const message = `A conference has at most one entry point of type ${type}. Remove this one or the other.`;
    return indexes.slice(1).map((index) => ({ path: [...listPath, index], reason: 'tooMany', message }) as const);
  });
  if (entries.length > 0 && entries.every((entry) => entry.entryPointType === 'more')) {
    const message = 'A conference with only a more entry point is invalid. Add a video, phone or sip entry point.';
    issues.push({ path: listPath, reason: 'invalid', message });
  }
  return issues;
}

function checkEntry(entry: EntryPoint, path: Path): Issue[] {
  return [
    ...checkType(entry, path),
    ...checkUri(entry, [...path, 'uri']),
    ...checkLabel(entry, [...path, 'label']),
    ...codes.flatMap((code) => checkLength([...path, code], entry[code], conferenceLimits.code)),
    ...checkLength([...path, 'regionCode'], entry.regionCode, conferenceLimits.regionCode),
    ...checkFeatures(entry.entryPointFeatures ?? [], [...path, 'entryPointFeatures']),
  ];
}

function checkType(entry: EntryPoint, path: Path): Issue[] {
  if (entry.entryPointType !== undefined) return [];
  const message = 'An entry point needs an entryPointType: video, phone, sip or more.';
  return [{ path: [...path, 'entryPointType'], reason: 'required', message }];
}

function checkUri({ uri, entryPointType: type }: EntryPoint, path: Path): Issue[] {
  if (!uri) {
    const message = `An entry point needs a uri${type ? `: ${schemes[type].form}` : ''}.`;
    return [{ path, reason: 'required', message }];
  }
  const long = checkLength(path, uri, conferenceLimits.uri);
  if (long.length > 0 || !type) return long;
  if (schemes[type].pattern.test(uri) && !notInUri.test(uri)) return [];
  const message = `The uri of a ${type} entry point must be ${schemes[type].form}, without white space.`;
  return [{ path, reason: 'invalid', message }];
}

function checkLabel({ label, entryPointType }: EntryPoint, path: Path): Issue[] {
  if (label && entryPointType === 'more') {
    const message = 'The label of a more entry point is not to be filled. Leave it out.';
    return [{ path, reason: 'invalid', message }];
  }
  return checkLength(path, label, conferenceLimits.label);
}

function checkFeatures(features: readonly string[], path: Path): Issue[] {
  const crowded = checkCount(path, features.length, conferenceLimits.features);
  if (crowded.length > 0) return crowded;
  return features.flatMap((feature, index) => checkLength([...path, index], feature, conferenceLimits.feature));
}
