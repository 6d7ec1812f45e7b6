import { creatableTypes, isCreatable, typeOf } from '../conference/solution.ts';
import type { ConferenceData } from '../model/fields.ts';
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
