import type { Path } from '../../core/errors.ts';
import { countUtf8Bytes } from '../../core/text/characters.ts';
import type { EventBody } from '../model/fields.ts';
import type { EventRule } from './rule.ts';

/** Limit of the number of properties, private and shared together. */
const maxEntries = 300;
/** Limit of keys and values together (UTF-8). */
const maxBytes = 32 * 1024;

/** Rule of the size of extended properties, private and shared together. A stored excess may stay, but not grow. */
export const extendedPropertiesRule: EventRule = {
  title:
    'extendedProperties.private and shared have at most 300 entries and 32 kB together, keys and values counted.',
  triggers: ['extendedProperties'],
  check(event, before, { reportIssue }) {
    const [properties, propertiesBefore] = [propertiesOf(event), propertiesOf(before)];
    const [count, bytes] = [properties.length, bytesOf(properties)];
    if (count > Math.max(maxEntries, propertiesBefore.length)) {
      const message = `At most ${maxEntries} properties are allowed, private and shared together; these are ${count}.`;
      reportIssue(['extendedProperties'], 'tooMany', message, { max: maxEntries, actual: count });
    } else if (bytes > Math.max(maxBytes, bytesOf(propertiesBefore))) {
      const message = `Keys and values of all properties may take ${maxBytes} bytes together; these take ${bytes}.`;
      reportIssue(['extendedProperties'], 'tooLong', message, { max: maxBytes, actual: bytes });
    }
  },
};

type Properties = readonly (readonly [name: string, value: string])[];

const propertiesOf = ({ extendedProperties }: EventBody): Properties => [
  ...Object.entries(extendedProperties?.private ?? {}),
  ...Object.entries(extendedProperties?.shared ?? {}),
];

/** Maps besides `extendedProperties` whose size is limited, each by itself. */
const limitedMaps: readonly {
  readonly path: Path;
  readonly read: (event: EventBody) => Readonly<Record<string, string>> | undefined;
}[] = [
  { path: ['gadget', 'preferences'], read: ({ gadget }) => gadget?.preferences },
  {
    path: ['conferenceData', 'parameters', 'addOnParameters', 'parameters'],
    read: ({ conferenceData }) => conferenceData?.parameters?.addOnParameters?.parameters,
  },
];

/** Rule of the stored size of other maps, which bounds their growth by repeated patches. */
export const mapSizesRule: EventRule = {
  title:
    'gadget.preferences and the parameters of an add-on take at most 32 kB each, keys and values counted.',
  triggers: ['gadget', 'conferenceData'],
  check(event, before, { reportIssue }) {
    for (const { path, read } of limitedMaps) {
      const [map, mapBefore] = [read(event), read(before)];
      if (!map || map === mapBefore) continue;
      const bytes = bytesOf(Object.entries(map));
      if (bytes <= Math.max(maxBytes, bytesOf(Object.entries(mapBefore ?? {})))) continue;
      const message = `Keys and values may take ${maxBytes} bytes together; these take ${bytes}.`;
      reportIssue(path, 'tooLong', message, { max: maxBytes, actual: bytes });
    }
  },
};

const bytesOf = (properties: Properties): number =>
  properties.reduce((sum, [name, value]) => sum + countUtf8Bytes(name) + countUtf8Bytes(String(value)), 0);
