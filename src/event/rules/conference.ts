import type { Path, Reason } from '../../core/errors.ts';
import { isSameJson } from '../../core/json.ts';
import { creatableTypes, isCreatableType, solutionTypeOf } from '../conference/signed-content.ts';
import type { ConferenceData, EntryPoint } from '../model/fields.ts';
import type { EventRule, RuleContext } from './rule.ts';

/** Meeting code of ten letters, optionally with hyphens as in abc-defg-hij. */
const hostedCodePattern = /^[a-z](?:-?[a-z]){9}$/;

/** Rule of conference ids and requests. Conferences of unknown types cannot be created. */
export const conferenceRule: EventRule = {
  title:
    'A conferenceId has the form of its type of conference, and a createRequest has a requestId and a type that ' +
    'can be created.',
  triggers: ['conferenceData'],
  check({ conferenceData: after }, { conferenceData: before }, context) {
    if (
      after &&
      (after.conferenceId !== before?.conferenceId || solutionTypeOf(after) !== solutionTypeOf(before))
    )
      checkConferenceId(after, context);
    const [request, requestBefore] = [after?.createRequest, before?.createRequest];
    if (request && (!requestBefore || request.requestId !== requestBefore.requestId))
      checkRequest(request, context);
  },
};

function checkConferenceId(conference: ConferenceData, { reportIssue }: RuleContext): void {
  const { conferenceId: id } = conference;
  if (id === undefined) return;
  const reportInvalid = (message: string): void =>
    reportIssue(['conferenceData', 'conferenceId'], 'invalid', message);
  const type = solutionTypeOf(conference);
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
  { reportIssue }: RuleContext,
): void {
  const reportProblem = (subPath: Path, reason: Reason, message: string): void =>
    reportIssue(['conferenceData', 'createRequest', ...subPath], reason, message);
  if (!requestId) {
    const message = 'A createRequest needs a requestId. Generate a new unique one for each new request.';
    reportProblem(['requestId'], 'required', message);
  }
  const type = conferenceSolutionKey?.type;
  const typePath = ['conferenceSolutionKey', 'type'];
  const allowedTypes = `Allowed are ${creatableTypes.join(', ')}.`;
  if (!type) reportProblem(typePath, 'required', `A createRequest needs a type. ${allowedTypes}`);
  else if (!isCreatableType(type))
    reportProblem(typePath, 'invalid', `A conference of this type cannot be created. ${allowedTypes}`);
}

type EntryPointType = NonNullable<EntryPoint['entryPointType']>;

const entryPointsPath: Path = ['conferenceData', 'entryPoints'];
/** Types of which a conference has at most one entry point. */
const singleEntryPointTypes: readonly EntryPointType[] = ['video', 'sip', 'more'];

/** Forms of URIs by the type of the entry point. Schemes are case-insensitive (RFC 3986, section 3.1). */
const uriFormsByType: Readonly<Record<EntryPointType, { pattern: RegExp; form: string }>> = {
  video: { pattern: /^https?:\/\/[^/?#]/i, form: 'an absolute http: or https: URI' },
  more: { pattern: /^https?:\/\/[^/?#]/i, form: 'an absolute http: or https: URI' },
  phone: {
    pattern: /^tel:./i,
    form: 'a tel: URI with the whole dial sequence, such as tel:+12025550143,,1234%23',
  },
  sip: { pattern: /^sip:./i, form: 'a sip: URI, such as sip:call@example.com' },
};
const forbiddenInUriPattern = /[\s\p{Cc}]/u;

/** Rule of a conference's entry points (event resource, sections 2 and 8). */
export const entryPointsRule: EventRule = {
  title:
    'A conference has at most one entry point each of video, sip and more, not more alone, and each has a uri of its type.',
  triggers: ['conferenceData'],
  check({ conferenceData: after }, { conferenceData: before }, context) {
    const entries = after?.entryPoints ?? [];
    if (isSameJson(entries, before?.entryPoints ?? []) || context.isRefused(entryPointsPath)) return;
    checkEntryPointTypes(entries, context);
    for (const [index, entry] of entries.entries())
      checkEntryPoint(entry, [...entryPointsPath, index], context);
  },
};

function checkEntryPointTypes(entries: readonly EntryPoint[], { reportIssue }: RuleContext): void {
  for (const type of singleEntryPointTypes) {
    const message = `A conference has at most one entry point of type ${type}. Remove this one or the other.`;
    const indexes = [...entries.keys()].filter((index) => entries[index]?.entryPointType === type);
    for (const index of indexes.slice(1))
      reportIssue([...entryPointsPath, index], 'tooMany', message, { max: 1 });
  }
  if (entries.length === 0 || entries.some(({ entryPointType }) => entryPointType !== 'more')) return;
  const message =
    'A conference with only an entry point of type more is invalid. Add a video, phone or sip entry point.';
  reportIssue(entryPointsPath, 'invalid', message);
}

function checkEntryPoint(
  { uri, entryPointType: type, label }: EntryPoint,
  path: Path,
  { reportIssue, isRefused }: RuleContext,
): void {
  const uriPath = [...path, 'uri'];
  if (label && type === 'more') {
    const message = 'An entry point of type more has no label. Leave it out.';
    reportIssue([...path, 'label'], 'invalid', message);
  }
  if (uri === '') {
    const message = `An entry point needs a uri${type ? `: ${uriFormsByType[type].form}` : ''}.`;
    reportIssue(uriPath, 'required', message);
  }
  if (!uri || !type || !(type in uriFormsByType) || isRefused(uriPath)) return;
  const { pattern, form } = uriFormsByType[type];
  if (pattern.test(uri) && !forbiddenInUriPattern.test(uri)) return;
  const message = `The uri of a ${type} entry point must be ${form}, without white space.`;
  reportIssue(uriPath, 'invalid', message);
}
