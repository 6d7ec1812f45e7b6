import type { Parameter, Parameters } from '../method.ts';

const pathParameter = (description: string, argument?: string): Parameter => ({
  in: 'path',
  required: true,
  description,
  ...(argument !== undefined && { argument }),
});
const flagParameter = (description: string): Parameter => ({ type: 'boolean', description });

/** Parameters of every method, handled by the face itself. */
export const commonParameters: Parameters = {
  alt: { argument: null, values: ['json'], default: 'json', description: 'The format of the response.' },
  fields: {
    type: 'fields',
    argument: null,
    description: 'The fields of the response: names, a/b, a(b,c/d) and *, separated by commas.',
  },
  prettyPrint: {
    type: 'boolean',
    argument: null,
    default: 'false',
    description: 'Whether the response is indented.',
  },
};

export const calendarId = {
  calendarId: pathParameter("The id of the calendar, or primary for the caller's own."),
};
export const eventId = { ...calendarId, eventId: pathParameter('The id of the event.') };
export const ruleId = {
  ...calendarId,
  ruleId: {
    ...pathParameter('The id of the rule: user:, and an address.'),
    argument: null,
    derivedArguments: ['email', 'role'],
  },
};
export const bucket = { bucket: pathParameter('The name of the bucket.') };
export const notificationId = {
  ...bucket,
  notification: pathParameter('The id of the notification.', 'notificationId'),
};

/** Project that pays, as a parameter or as a header. */
export const userProject: Parameters = {
  userProject: { header: 'x-goog-user-project', description: 'The project that pays for the request.' },
};

export const ifMatch: Parameters = {
  'If-Match': { in: 'header', argument: 'ifMatch', description: 'The etag that you read last, or *.' },
};

/** `If-Match` for operations without such an argument in the schema. */
export const internalIfMatch: Parameters = {
  'If-Match': { ...(ifMatch['If-Match'] as Parameter), isInternal: true },
};

/** Creates a function that declares parameters without effect. */
const createIgnoredParameters =
  (type: Parameter['type']) =>
  (...names: readonly string[]): Parameters =>
    Object.fromEntries(names.map((name) => [name, { type, isIgnored: true, description: 'Has no effect.' }]));
/** Parameters that clients offer and that have no effect here. */
export const ignoredTexts = createIgnoredParameters('string');
export const ignoredFlags = createIgnoredParameters('boolean');

export const validateOnly: Parameters = {
  validateOnly: flagParameter('Runs every check and stores nothing.'),
};
export const requestId: Parameters = {
  requestId: {
    description:
      'Makes a retry safe: for 24 hours the same string with the same request returns the first result.',
  },
};

/** Parameters of a paged list, with the default and the limit of its page size. */
export const pageParameters = (defaultLength: number, maxLength: number): Parameters => ({
  maxResults: {
    type: 'integer',
    argument: 'first',
    min: 1,
    max: maxLength,
    default: String(defaultLength),
    description: 'The maximum number of entries of a page.',
  },
  pageToken: {
    argument: null,
    derivedArguments: ['after'],
    description: 'The nextPageToken of the previous page, which contains all its parameters.',
  },
});

export const timeZone: Parameters = {
  timeZone: {
    type: 'timeZone',
    argument: null,
    description: 'The time zone of the response: an IANA name.',
  },
};

export const displayParameters: Parameters = {
  maxAttendees: { type: 'integer', description: 'The maximum number of guests of an event.' },
  alwaysIncludeEmail: flagParameter('Fills missing addresses with generated ones.'),
};

export const notifyParameters: Parameters = {
  sendUpdates: {
    values: ['all', 'externalOnly', 'none'],
    description: 'Which guests are notified.',
  },
  sendNotifications: flagParameter('The older way to have all guests notified.'),
};

/** Parameters that state which parts of a body the client supports. */
export const supportParameters: Parameters = {
  conferenceDataVersion: {
    type: 'integer',
    description: '1: conference data in the body is applied; 0: it is ignored.',
  },
  supportsAttachments: flagParameter('Whether attachments in the body are applied.'),
};

export const rangeParameters: Parameters = {
  timeMin: { type: 'dateTime', description: 'Only events that end after this moment.' },
  timeMax: { type: 'dateTime', description: 'Only events that start before this moment.' },
  showDeleted: flagParameter('Whether cancelled events are listed.'),
};
