import type { ConferenceData } from '../model/fields.ts';
import type { ConferenceMaker } from './create.ts';
import { addOnType, hasContent, isCreatable, typeOf, withRegionCodes } from './content.ts';
import {
  conferenceFields,
  contentFields,
  hasNewContent,
  requestIn,
  signedCopy,
  type ConferenceDifference,
} from './difference.ts';

/** What becomes of conference data. */
interface Outcome {
  /** What to store; absent where what is stored stays. */
  readonly next?: {
    readonly conferenceData: ConferenceData | undefined;
    readonly callLink: string | undefined;
  };
  /** What the rules are held against, as the client sees it. */
  readonly validated?: ConferenceData;
  /** What is not applied, by field. */
  readonly ignored: readonly { readonly field: string; readonly message: string }[];
}

interface ConferenceContext {
  readonly maker: ConferenceMaker;
  readonly callLink: string | undefined;
  /** The request came with its status: it is part of what was read, not a new one. */
  readonly isHistory: boolean;
}

/** Decides what conference data that differs from the stored one means. */
export function decide(difference: ConferenceDifference, facts: ConferenceContext): Outcome {
  const { before, fields } = difference;
  if (fields.size === 0) return { ignored: ignoredIn(difference) };
  const copy = signedCopy(difference, facts.maker.isSigned);
  const request = requestIn(difference, (copy !== undefined || isAddOn(difference)) && !facts.isHistory);
  if (request) return create(request, difference, facts);
  if (copy) return take(copy, difference);
  if (hasNewContent(difference) && isAddOn(difference)) return takeAddOn(difference, facts.maker);
  if (before && !hasNewContent(difference)) return edit(before, facts.callLink, difference);
  // Content without a signature is validated as it was sent: merged into another conference it breaks rules that the
  // client cannot know about; a request beside it is only its history.
  const validated = {
    ...(hasNewContent(difference) ? difference.sent : difference.next),
    createRequest: undefined,
  };
  return {
    validated: defined(onlyChanged(validated, difference)),
    ignored: [unsigned(difference), ...ignoredRequest(difference)],
  };
}

/** Another provider's conference, sent as a whole or changed in part. A type alone does not make another conference one. */
const isAddOn = ({ before, sent, merged }: ConferenceDifference): boolean =>
  typeOf(merged) === addOnType && (typeOf(before) === addOnType || (sent.entryPoints ?? []).length > 0);

function take(copy: ConferenceData, difference: ConferenceDifference): Outcome {
  const entryPoints = withRegionCodes(copy.entryPoints ?? [], difference.before?.entryPoints ?? []);
  const callLink =
    typeOf(copy) === addOnType
      ? undefined
      : entryPoints.find((entry) => entry.entryPointType === 'video')?.uri;
  const conferenceData = defined({ ...copy, entryPoints: copy.entryPoints && entryPoints });
  return { next: { conferenceData, callLink }, validated: copy, ignored: ignoredRequest(difference) };
}

/** Another provider's conference needs no signature to come in, and gets the server's; it has no call link. */
function takeAddOn({ before, sent, merged }: ConferenceDifference, maker: ConferenceMaker): Outcome {
  // What was there before was another conference, unless it was one of this kind.
  const { createRequest: _, signature: __, ...content } = typeOf(before) === addOnType ? merged : sent;
  const validated = defined(content);
  const made = defined({
    ...validated,
    entryPoints: content.entryPoints && withRegionCodes(content.entryPoints, before?.entryPoints ?? []),
  });
  const conferenceData = hasContent(made) ? { ...made, signature: maker.sign(made) } : made;
  const unused = [
    ...(sent.createRequest
      ? [
          {
            field: 'createRequest',
            message: 'The createRequest was ignored: an add-on conference is made by its own provider.',
          },
        ]
      : []),
    ...(sent.signature !== undefined && sent.signature !== conferenceData.signature ? [otherSignature] : []),
  ];
  return { next: { conferenceData, callLink: undefined }, validated, ignored: unused };
}

const otherSignature = {
  field: 'signature',
  message:
    'The signature is made by the server and was ignored. Send it unchanged when a conference is copied.',
};

function create(
  request: ConferenceData,
  difference: ConferenceDifference,
  { maker }: ConferenceContext,
): Outcome {
  const { createRequest, notes, parameters } = request;
  const { requestId, conferenceSolutionKey } = createRequest ?? {};
  const type = conferenceSolutionKey?.type;
  // The rules say what is wrong with such a request.
  if (!requestId || !isCreatable(type)) return { validated: request, ignored: [] };
  const made = maker.create({ requestId, type });
  const unused = contentFields.filter(
    (field) => difference.sent[field] !== undefined && difference.fields.has(field),
  );
  return {
    next: {
      conferenceData: { ...made.conference, ...defined({ notes, parameters }) },
      callLink: made.callLink,
    },
    validated: request,
    ignored: unused.map((field) => ({
      field,
      message: `${field} was ignored: a createRequest makes a new conference. Leave ${field} out of it.`,
    })),
  };
}

/** Notes, parameters and a request that is cleared: the signature covers none of them and stays. */
function edit(
  before: ConferenceData,
  callLink: string | undefined,
  difference: ConferenceDifference,
): Outcome {
  const { notes, parameters, createRequest } = difference.next;
  const conferenceData = defined({ ...before, notes, parameters, createRequest });
  return { next: { conferenceData, callLink }, validated: conferenceData, ignored: ignoredIn(difference) };
}

function ignoredIn(difference: ConferenceDifference): Outcome['ignored'] {
  return [...ignoredRequest(difference), ...(difference.otherSignature ? [otherSignature] : [])];
}

function ignoredRequest({ alteredRequest }: ConferenceDifference): Outcome['ignored'] {
  const message =
    'A request with this requestId was carried out before, so this one was ignored. ' +
    'Generate a new requestId to get another conference.';
  return alteredRequest ? [{ field: 'createRequest', message }] : [];
}

function unsigned({ sent }: ConferenceDifference): Outcome['ignored'][number] {
  const fault = sent.signature === undefined ? 'has no signature' : 'does not match its signature';
  const message =
    `The conference data was not applied: it ${fault}. To copy a conference, send its conferenceData as it was ` +
    'read, with its signature; to make a new one, send a createRequest with a new requestId and no entry points; for ' +
    `another provider's, give conferenceSolution.key.type "${addOnType}".`;
  return { field: 'signature', message };
}

/** Old oddities of fields that stay are no fault of the change. */
function onlyChanged(conference: ConferenceData, { before, fields }: ConferenceDifference): ConferenceData {
  const unchanged = conferenceFields
    .filter((field) => !fields.has(field))
    .map((field) => [field, before?.[field]] as const);
  return { ...conference, ...Object.fromEntries(unchanged) };
}

function defined(conference: ConferenceData): ConferenceData {
  return Object.fromEntries(Object.entries(conference).filter(([, value]) => value !== undefined));
}
