import type { Issue } from '../core/errors.ts';
import type { EventBody } from './event.ts';

const maxEntries = 300;
const maxBytes = 32 * 1024;
const maxKeyLength = 44;
const maxValueLength = 1024;

/** The limits of the private and the shared map: each entry's, and those of both together. */
export function extendedPropertyIssues(properties: EventBody['extendedProperties']): Issue[] {
  const maps = (['private', 'shared'] as const).map((name) => ({ name, map: properties?.[name] ?? {} }));
  const issues = maps.flatMap(({ name, map }) =>
    Object.entries(map).flatMap(([key, value]) => entryIssues(name, key, value)),
  );
  const entries = maps.flatMap(({ map }) => Object.entries(map));
  if (entries.length > maxEntries) {
    const message = `At most ${maxEntries} properties are allowed, private and shared together; these are ${entries.length}.`;
    issues.push({ path: ['extendedProperties'], reason: 'tooMany', message });
  }
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (bytes > maxBytes) {
    const message = `Keys and values of all properties may take ${maxBytes} bytes together; these take ${bytes}.`;
    issues.push({ path: ['extendedProperties'], reason: 'tooLong', message });
  }
  return issues;
}

function entryIssues(name: string, key: string, value: string): Issue[] {
  const path = ['extendedProperties', name, key];
  const issues: Issue[] = [];
  if (key.length === 0) issues.push({ path, reason: 'invalid', message: 'A property needs a name of 1 to 44 characters.' });
  if (key.length > maxKeyLength) {
    issues.push({ path, reason: 'tooLong', message: `A property's name has at most ${maxKeyLength} characters.` });
  }
  if (value.length > maxValueLength) {
    issues.push({ path, reason: 'tooLong', message: `A property's value has at most ${maxValueLength} characters.` });
  }
  return issues;
}
