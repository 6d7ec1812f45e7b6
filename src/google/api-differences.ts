import type { InputNames } from '../core/fields/coerce.ts';

/**
 * GraphQL names of list parameters and list members, by their names in Google's APIs. A GraphQL type has at most one of the names of
 * an entry.
 */
export const schemaNames: Readonly<Record<string, readonly string[]>> = {
  items: ['nodes', 'calendarIds'],
  maxResults: ['first'],
  nextPageToken: ['pageInfo'],
  pageToken: ['after'],
  projectId: ['project'],
};

/** Types of conferences: official values, and the values of the GraphQL schema. */
const conferenceTypes = {
  hangoutsMeet: 'hostedCall',
  eventHangout: 'eventCall',
  eventNamedHangout: 'eventNamedCall',
} as const;

const conferenceKeyNames = { values: { type: conferenceTypes } } as const;

const splitWords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Differences of Calendar v3 and Cloud Storage v1 (July 2026) from the GraphQL schema, by input type; see `InputNames`. */
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
          conferenceSolution: { nestedNames: { key: conferenceKeyNames } },
          createRequest: { nestedNames: { conferenceSolutionKey: conferenceKeyNames } },
        },
      },
    },
  },
  ConferenceSolutionKeyInput: conferenceKeyNames,
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
