import type { Path } from '../../core/errors.ts';
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
  return {
    count: Object.keys(own).length + Object.keys(shared).length,
    bytes: bytesOf(own) + bytesOf(shared),
  };
}

type StringMap = Readonly<Record<string, string>>;

const maps: readonly { readonly path: Path; readonly of: (event: EventBody) => StringMap | undefined }[] = [
  { path: ['gadget', 'preferences'], of: ({ gadget }) => gadget?.preferences },
  {
    path: ['conferenceData', 'parameters', 'addOnParameters', 'parameters'],
    of: ({ conferenceData }) => conferenceData?.parameters?.addOnParameters?.parameters,
  },
];

/** Maps are bounded as stored, so that no number of patches makes one grow for ever. */
export const mapSizes: EventRule = {
  title:
    'gadget.preferences and the parameters of an add-on take at most 32 kB each, keys and values counted.',
  on: ['gadget', 'conferenceData'],
  check(event, before, { issue }) {
    for (const { path, of } of maps) {
      const [now, then] = [of(event), of(before)];
      if (!now || now === then) continue;
      const bytes = bytesOf(now);
      if (bytes <= maxBytes || (then && bytes <= bytesOf(then))) continue;
      issue(path, 'tooLong', `Keys and values may take ${maxBytes} bytes together; these take ${bytes}.`, {
        max: maxBytes,
        actual: bytes,
      });
    }
  },
};

const bytesOf = (map: StringMap): number =>
  Object.entries(map).reduce((sum, [key, value]) => sum + bytesIn(key) + bytesIn(String(value)), 0);
