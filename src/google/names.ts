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

const splitWords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Differences of Calendar v3 and Cloud Storage v1 (July 2026) from the GraphQL schema, by input type. `edgeFields`: the edges of the graph. */
export const officialNames = {
  EventInput: {
    edgeFields: splitWords('calendar recurringEvent instances'),
    renamed: { hangoutLink: 'callLink' },
    fixedValues: { eventType: 'default' },
    notOffered: splitWords(
      'birthdayProperties eventType focusTimeProperties outOfOfficeProperties workingLocationProperties',
    ),
    nestedNames: {
      conferenceData: {
        nestedNames: {
          conferenceSolution: { nestedNames: { key: conferenceType } },
          createRequest: { nestedNames: { conferenceSolutionKey: conferenceType } },
        },
      },
    },
  },
  ConferenceSolutionKeyInput: conferenceType,
  CalendarInput: {
    edgeFields: splitWords('event events access feedUrl'),
    fixedValues: { selected: true },
    notOffered: splitWords(
      `autoAcceptInvitations colorId conferenceProperties dataOwner deleted foregroundColor hidden
       notificationSettings selected summaryOverride`,
    ),
  },
  NotificationInput: { edgeFields: splitWords('bucket') },
  BucketInput: {
    edgeFields: splitWords('notifications'),
    notOffered: splitWords(
      `acl autoclass cors customPlacementConfig defaultEventBasedHold defaultObjectAcl encryption generation
       hardDeleteTime hierarchicalNamespace iamConfiguration ipFilter labels lifecycle location locationType
       logging objectRetention owner projectNumber retentionPolicy rpo satisfiesPZI satisfiesPZS
       softDeletePolicy softDeleteTime storageClass versioning website`,
    ),
  },
} satisfies Readonly<Record<string, InputNames>>;
