import { bytesIn } from '../../core/text/characters.ts';
import type { Path } from '../../core/kernel/errors.ts';
import type { EventBody } from '../model/fields.ts';
import type { EventRule } from './rule.ts';

type StringMap = Readonly<Record<string, string>>;
const maxBytes = 32 * 1024;

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

const bytesOf = (map: StringMap): number => {
  let sum = 0;
  for (const key of Object.keys(map)) sum += bytesIn(key) + bytesIn(String(map[key]));
  return sum;
};
