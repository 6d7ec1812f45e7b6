import { bytesIn } from '../../core/text/characters.ts';
import type { EventBody } from '../model/fields.ts';
import type { EventRule } from './rule.ts';

const maxEntries = 300;
const maxBytes = 32 * 1024;

/** The private and the shared map together. What was over a limit before may stay so as long as it does not grow. */
export const extendedProperties: EventRule = {
  title:
    'extendedProperties.private and shared have at most 300 entries and 32 kB together, keys and values counted.',
  on: ['extendedProperties'],
  check(event, before, { issue }) {
    const [now, then] = [sizeOf(event), sizeOf(before)];
    if (now.count > Math.max(maxEntries, then.count)) {
      const message = `At most ${maxEntries} properties are allowed, private and shared together; these are ${now.count}.`;
      issue(['extendedProperties'], 'tooMany', message, { max: maxEntries, actual: now.count });
    } else if (now.bytes > Math.max(maxBytes, then.bytes)) {
      const message = `Keys and values of all properties may take ${maxBytes} bytes together; these take ${now.bytes}.`;
      issue(['extendedProperties'], 'tooLong', message, { max: maxBytes, actual: now.bytes });
    }
  },
};

function sizeOf({ extendedProperties: { private: own = {}, shared = {} } = {} }: EventBody): {
  count: number;
  bytes: number;
} {
  const entries = [...Object.entries(own), ...Object.entries(shared)];
  return {
    count: entries.length,
    bytes: entries.reduce((sum, [key, value]) => sum + bytesIn(key) + bytesIn(String(value)), 0),
  };
}
