import type { InputNames } from '../core/fields/coerce.ts';

/** Names in the GraphQL schema of list parameters and members of Google's APIs. A GraphQL type has at most one name of each entry. */
export const schemaNames: Readonly<Record<string, readonly string[]>> = {
  items: ['nodes', 'calendarIds'],
  maxResults: ['first'],
  nextPageToken: ['pageInfo'],
  pageToken: ['after'],
  projectId: ['project'],
};

const conferenceTypes = {
  hangoutsMeet: 'hostedCall',
  eventHangout: 'eventCall',
  eventNamedHangout: 'eventNamedCall',
} as const;

const conferenceType = { values: { type: conferenceTypes } } as const;

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Differences of Calendar v3 and Cloud Storage v1 (July 2026) from the GraphQL schema, by input type. `edgeFields`: the edges of the graph. */
export const officialNames = {
  EventInput: {
    edgeFields: words('calendar recurringEvent instances'),
    renamed: { hangoutLink: 'callLink' },
    always: { eventType: 'default' },
    notOffered: words(
      'birthdayProperties eventType focusTimeProperties outOfOfficeProperties workingLocationProperties',
    ),
    inside: {
      conferenceData: {
        inside: {
          conferenceSolution: { inside: { key: conferenceType } },
          createRequest: { inside: { conferenceSolutionKey: conferenceType } },
        },
      },
    },
  },
  ConferenceSolutionKeyInput: conferenceType,
  CalendarInput: {
    edgeFields: words('event events access feedUrl'),
    always: { selected: true },
    notOffered: words(
      `autoAcceptInvitations colorId conferenceProperties dataOwner deleted foregroundColor hidden
       notificationSettings selected summaryOverride`,
    ),
  },
  NotificationInput: { edgeFields: words('bucket') },
  BucketInput: {
    edgeFields: words('notifications'),
    notOffered: words(
      `acl autoclass cors customPlacementConfig defaultEventBasedHold defaultObjectAcl encryption generation
       hardDeleteTime hierarchicalNamespace iamConfiguration ipFilter labels lifecycle location locationType
       logging objectRetention owner projectNumber retentionPolicy rpo satisfiesPZI satisfiesPZS
       softDeletePolicy softDeleteTime storageClass versioning website`,
    ),
  },
} satisfies Readonly<Record<string, InputNames>>;
