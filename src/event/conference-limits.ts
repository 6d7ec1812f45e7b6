import { charactersIn, isLonger } from '../core/characters.ts';
import type { Issue, Path } from '../core/errors.ts';

/**
 * How long and how many. The first three are the event resource's (section 8); the others are bounds of this
 * service where the resource names none. A character is a Unicode code point.
 */
export const conferenceLimits = {
  uri: 1300,
  label: 512,
  code: 128,
  notes: 2048,
  text: 1024,
  regionCode: 16,
  feature: 128,
  features: 50,
  entryPoints: 50,
  parameters: 100,
  parameterName: 128,
} as const;

/** The one issue of a text that is longer than it may be, or none. */
export function checkLength(path: Path, text: string | undefined, limit: number): Issue[] {
  if (text === undefined || !isLonger(text, limit)) return [];
  const message = `${nameOf(path)} has ${charactersIn(text)} characters; at most ${limit} are allowed. Shorten it.`;
  return [{ path, reason: 'tooLong', message }];
}

/** The one issue of a list or map that holds more than it may, or none. */
export function checkCount(path: Path, count: number, limit: number): Issue[] {
  if (count <= limit) return [];
  const message = `${nameOf(path)} has ${count} entries; at most ${limit} are allowed. Leave some out.`;
  return [{ path, reason: 'tooMany', message }];
}

/** The field a path ends in, or the list that holds its entry. */
function nameOf(path: Path): string {
  return String(path.findLast((step) => typeof step === 'string'));
}
