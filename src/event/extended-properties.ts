import { isLonger } from '../core/characters.ts';
import type { Issue } from '../core/errors.ts';
import type { EventBody } from './event.ts';

const maxEntries = 300;
const maxBytes = 32 * 1024;
const maxKeyLength = 44;
const maxValueLength = 1024;

type Properties = EventBody['extendedProperties'];

/**
 * The limits of the private and the shared map: each entry's, and those of both together. What was over a limit
 * before may stay so as long as it does not grow.
 */
export function extendedPropertyIssues(properties: Properties, before: Properties): Issue[] {
  const issues = entriesOf(properties).flatMap(({ map, key, value }) => entryIssues(map, key, value));
  const [count, countBefore] = [entriesOf(properties).length, entriesOf(before).length];
  if (count > Math.max(maxEntries, countBefore)) {
    const message = `At most ${maxEntries} properties are allowed, private and shared together; these are ${count}.`;
    issues.push({ path: ['extendedProperties'], reason: 'tooMany', message });
  }
  const bytes = bytesOf(properties);
  if (bytes > Math.max(maxBytes, bytesOf(before))) {
    const message = `Keys and values of all properties may take ${maxBytes} bytes together; these take ${bytes}.`;
    issues.push({ path: ['extendedProperties'], reason: 'tooLong', message });
  }
  return issues;
}

const entriesOf = (properties: Properties) =>
  (['private', 'shared'] as const).flatMap((map) =>
    Object.entries(properties?.[map] ?? {}).map(([key, value]) => ({ map, key, value })),
  );

const bytesOf = (properties: Properties): number =>
  entriesOf(properties).reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);

function entryIssues(name: string, key: string, value: string): Issue[] {
  const path = ['extendedProperties', name, key];
  const issues: Issue[] = [];
  if (key.length === 0) issues.push({ path, reason: 'invalid', message: 'A property needs a name of 1 to 44 characters.' });
  if (isLonger(key, maxKeyLength)) {
    issues.push({ path, reason: 'tooLong', message: `A property's name has at most ${maxKeyLength} characters.` });
  }
  if (isLonger(value, maxValueLength)) {
    issues.push({ path, reason: 'tooLong', message: `A property's value has at most ${maxValueLength} characters.` });
  }
  return issues;
}
