import type { Path, Reason } from '../../core/errors.ts';
import { sameJson } from '../../core/patch.ts';
import { creatableTypes, isCreatable, typeOf } from '../conference/content.ts';
import type { ConferenceData, EntryPoint } from '../model/fields.ts';
import type { EventRule, RuleContext } from './rule.ts';

/** Meeting code of ten letters, optionally with hyphens as in abc-defg-hij. */
const hostedCodePattern = /^[a-z](?:-?[a-z]){9}$/;

/** Rule of conference ids and requests. Conferences of unknown types cannot be created. */
export const conference: EventRule = {
  title:
    'A conferenceId has the form of its type of conference, and a createRequest has a requestId and a type that ' +
    'can be created.',
  triggers: ['conferenceData'],
  check({ conferenceData: after }, { conferenceData: before }, context) {
    if (after && (after.conferenceId !== before?.conferenceId || typeOf(after) !== typeOf(before)))
      checkId(after, context);
    const [request, earlier] = [after?.createRequest, before?.createRequest];
    if (request && (!earlier || request.requestId !== earlier.requestId)) checkRequest(request, context);
  },
};

function checkId(conference: ConferenceData, { issue }: RuleContext): void {
  const { conferenceId: id } = conference;
  if (id === undefined) return;
  const reportInvalid = (message: string): void =>
    issue(['conferenceData', 'conferenceId'], 'invalid', message);
  const type = typeOf(conference);
  if (type === 'eventCall')
    reportInvalid('A conference of type eventCall has no conferenceId. Leave it out.');
  if (type === 'eventNamedCall' && id.trim() === '')
    reportInvalid('The conferenceId of an eventNamedCall is the name of the call; it must not be blank.');
  if (type === 'hostedCall' && !hostedCodePattern.test(id))
    reportInvalid(
      'The conferenceId of a hostedCall is its meeting code: 10 letters a to z, as in abc-defg-hij.',
    );
}

function checkRequest(
  { requestId, conferenceSolutionKey }: NonNullable<ConferenceData['createRequest']>,
  { issue }: RuleContext,
): void {
  const report = (subPath: Path, reason: Reason, message: string): void =>
    issue(['conferenceData', 'createRequest', ...subPath], reason, message);
  if (!requestId) {
    const message = 'A createRequest needs a requestId. Generate a new unique one for each new request.';
    report(['requestId'], 'required', message);
  }
  const type = conferenceSolutionKey?.type;
  const typePath = ['conferenceSolutionKey', 'type'];
  const allowed = `Allowed are ${creatableTypes.join(', ')}.`;
  if (!type) report(typePath, 'required', `A createRequest needs a type. ${allowed}`);
  else if (!isCreatable(type))
    report(typePath, 'invalid', `A conference of this type cannot be created. ${allowed}`);
}

type EntryPointType = NonNullable<EntryPoint['entryPointType']>;

const listPath: Path = ['conferenceData', 'entryPoints'];
const singleEntryPointTypes: readonly EntryPointType[] = ['video', 'sip', 'more'];

/** URI schemes, which are case-insensitive (RFC 3986, section 3.1). */
const schemes: Readonly<Record<EntryPointType, { pattern: RegExp; form: string }>> = {
  video: { pattern: /^https?:\/\/[^/?#]/i, form: 'an absolute http: or https: URI' },
  more: { pattern: /^https?:\/\/[^/?#]/i, form: 'an absolute http: or https: URI' },
  phone: {
    pattern: /^tel:./i,
    form: 'a tel: URI with the whole dial sequence, such as tel:+12025550143,,1234%23',
  },
  sip: { pattern: /^sip:./i, form: 'a sip: URI, such as sip:call@example.com' },
};
const forbiddenInUri = /[\s\p{Cc}]/u;

/** Rule of a conference's entry points (event resource, sections 2 and 8). */
export const entryPoints: EventRule = {
  title:
    'A conference has at most one entry point each of video, sip and more, not more alone, and each has a uri of its type.',
  triggers: ['conferenceData'],
  check({ conferenceData: after }, { conferenceData: before }, context) {
    const entries = after?.entryPoints ?? [];
    if (sameJson(entries, before?.entryPoints ?? []) || context.isRefused(listPath)) return;
    checkTypes(entries, context);
    for (const [index, entry] of entries.entries()) checkEntry(entry, [...listPath, index], context);
  },
};

function checkTypes(entries: readonly EntryPoint[], { issue }: RuleContext): void {
  for (const type of singleEntryPointTypes) {
    const message = `A conference has at most one entry point of type ${type}. Remove this one or the other.`;
    const indexes = [...entries.keys()].filter((index) => entries[index]?.entryPointType === type);
    for (const index of indexes.slice(1)) issue([...listPath, index], 'tooMany', message, { max: 1 });
  }
  if (entries.length === 0 || entries.some(({ entryPointType }) => entryPointType !== 'more')) return;
  const message =
    'A conference with only an entry point of type more is invalid. Add a video, phone or sip entry point.';
  issue(listPath, 'invalid', message);
}

function checkEntry(
  { uri, entryPointType: type, label }: EntryPoint,
  path: Path,
  { issue, isRefused }: RuleContext,
): void {
  const report = (field: string, reason: Reason, message: string): void =>
    issue([...path, field], reason, message);
  if (label && type === 'more')
    report('label', 'invalid', 'An entry point of type more has no label. Leave it out.');
  if (uri === '')
    report('uri', 'required', `An entry point needs a uri${type ? `: ${schemes[type].form}` : ''}.`);
  if (!uri || !type || !(type in schemes) || isRefused([...path, 'uri'])) return;
  const { pattern, form } = schemes[type];
  if (!pattern.test(uri) || forbiddenInUri.test(uri))
    report('uri', 'invalid', `The uri of a ${type} entry point must be ${form}, without white space.`);
}
