import type { Path } from '../../core/errors.ts';
import { sameJson } from '../../core/patch.ts';
import { creatableTypes, isCreatable, typeOf } from '../conference/content.ts';
import type { ConferenceData, EntryPoint } from '../model/fields.ts';
import type { EventRule, RuleContext } from './rule.ts';

/** Ten letters; hyphens may stand between them, as in the form that people read: abc-defg-hij. */
const hostedCode = /^[a-z](?:-?[a-z]){9}$/;

/**
 * What a conference's id and request must be (event resource, section 2). An unknown type of solution is no fault: it
 * can be shown. An unknown type in a request is one: it cannot be made.
 */
export const conference: EventRule = {
  title:
    'A conferenceId has the form of its type of conference, and a createRequest has a requestId and a type that ' +
    'can be created.',
  on: ['conferenceData'],
  check({ conferenceData: after }, { conferenceData: before }, context) {
    if (after && (after.conferenceId !== before?.conferenceId || typeOf(after) !== typeOf(before)))
      checkId(after, context);
    if (after?.createRequest && after.createRequest.requestId !== before?.createRequest?.requestId)
      checkRequest(after.createRequest, context);
    else if (after?.createRequest && !before?.createRequest) checkRequest(after.createRequest, context);
  },
};

function checkId(conference: ConferenceData, { issue }: RuleContext): void {
  const { conferenceId: id } = conference;
  if (id === undefined) return;
  const invalid = (message: string): void => issue(['conferenceData', 'conferenceId'], 'invalid', message);
  switch (typeOf(conference)) {
    case 'eventCall':
      return invalid('A conference of type eventCall has no conferenceId. Leave it out.');
    case 'eventNamedCall':
      if (id.trim() === '')
        invalid('The conferenceId of an eventNamedCall is the name of the call; it must not be blank.');
      return;
    case 'hostedCall':
      if (!hostedCode.test(id))
        invalid(
          'The conferenceId of a hostedCall is its meeting code: 10 letters a to z, as in abc-defg-hij.',
        );
      return;
    default:
  }
}

function checkRequest(
  { requestId, conferenceSolutionKey }: NonNullable<ConferenceData['createRequest']>,
  { issue }: RuleContext,
): void {
  const path = ['conferenceData', 'createRequest'];
  if (!requestId) {
    issue(
      [...path, 'requestId'],
      'required',
      'A createRequest needs a requestId. Generate a new unique one for each new request.',
    );
  }
  const type = conferenceSolutionKey?.type;
  const allowed = `Allowed are ${creatableTypes.join(', ')}.`;
  if (!type)
    issue([...path, 'conferenceSolutionKey', 'type'], 'required', `A createRequest needs a type. ${allowed}`);
  else if (!isCreatable(type))
    issue(
      [...path, 'conferenceSolutionKey', 'type'],
      'invalid',
      `A conference of this type cannot be created. ${allowed}`,
    );
}

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
  // An unknown type has no rule for its URI.
  if (!uri || !type || !(type in schemes) || isRefused([...path, 'uri'])) return;
  if (schemes[type].pattern.test(uri) && !notInUri.test(uri)) return;
  issue(
    [...path, 'uri'],
    'invalid',
    `The uri of a ${type} entry point must be ${schemes[type].form}, without white space.`,
  );
}
