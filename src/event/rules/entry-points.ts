import type { Path } from '../../core/kernel/errors.ts';
import { sameJson } from '../../core/kernel/plain-data.ts';
import type { EntryPoint } from '../model/fields.ts';
import type { EventRule, RuleContext } from './rule.ts';

type EntryPointType = NonNullable<EntryPoint['entryPointType']>;

const listPath: Path = ['conferenceData', 'entryPoints'];
const single: readonly EntryPointType[] = ['video', 'sip', 'more'];

/** Schemes are case-insensitive (RFC 3986, section 3.1); a URI holds neither white space nor controls. */
const schemes: Readonly<Record<EntryPointType, { pattern: RegExp; form: string }>> = {
  video: { pattern: /^https?:\/\/[^/?#]/i, form: 'an absolute http: or https: URI' },
  more: { pattern: /^https?:\/\/[^/?#]/i, form: 'an absolute http: or https: URI' },
  phone: {
    pattern: /^tel:./i,
    form: 'a tel: URI with the whole dial sequence, such as tel:+12025550143,,1234%23',
  },
  sip: { pattern: /^sip:./i, form: 'a sip: URI, such as sip:call@example.com' },
};
const notInUri = /[\s\p{Cc}]/u;

/** The ways into a conference together (event resource, sections 2 and 8). */
export const entryPoints: EventRule = {
  title:
    'A conference has at most one entry point each of video, sip and more, not more alone, and each has a uri of its type.',
  on: ['conferenceData'],
  check({ conferenceData: after }, { conferenceData: before }, context) {
    const entries = after?.entryPoints ?? [];
    if (sameJson(entries, before?.entryPoints ?? []) || context.isRefused(listPath)) return;
    checkTypes(entries, context);
    for (const [index, entry] of entries.entries()) checkEntry(entry, [...listPath, index], context);
  },
};

function checkTypes(entries: readonly EntryPoint[], { issue }: RuleContext): void {
  for (const type of single) {
    let found = false;
    for (const [index, entry] of entries.entries()) {
      if (entry.entryPointType !== type) continue;
      if (found)
        issue(
          [...listPath, index],
          'tooMany',
          `A conference has at most one entry point of type ${type}. Remove this one or the other.`,
          { max: 1 },
        );
      found = true;
    }
  }
  if (entries.length > 0 && entries.every(({ entryPointType }) => entryPointType === 'more')) {
    issue(
      listPath,
      'invalid',
      'A conference with only a more entry point is invalid. Add a video, phone or sip entry point.',
    );
  }
}

function checkEntry(
  { uri, entryPointType: type, label }: EntryPoint,
  path: Path,
  { issue, isRefused }: RuleContext,
): void {
  if (label && type === 'more') {
    issue(
      [...path, 'label'],
      'invalid',
      'The label of a more entry point is not to be filled. Leave it out.',
    );
  }
  if (uri === '')
    issue(
      [...path, 'uri'],
      'required',
      `An entry point needs a uri${type ? `: ${schemes[type].form}` : ''}.`,
    );
  // Of an unknown type nothing can be said.
  if (!uri || !type || !(type in schemes) || isRefused([...path, 'uri'])) return;
  if (schemes[type].pattern.test(uri) && !notInUri.test(uri)) return;
  issue(
    [...path, 'uri'],
    'invalid',
    `The uri of a ${type} entry point must be ${schemes[type].form}, without white space.`,
  );
}
