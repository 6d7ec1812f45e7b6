import type { InputNames } from '../core/fields/coerce.ts';

/** Parameters and members of lists of Google's APIs by their names: the names in the schema, of which each type has one at most. */
export const schemaNames: Readonly<Record<string, readonly string[]>> = {
  items: ['nodes', 'calendarIds'],
  maxResults: ['first'],
  nextPageToken: ['pageInfo'],
  pageToken: ['after'],
  projectId: ['project'],
};

const calls = {
  hangoutsMeet: 'hostedCall',
  eventHangout: 'eventCall',
  eventNamedHangout: 'eventNamedCall',
} as const;

const callType = { values: { type: calls } } as const;

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Names of Google's APIs that differ from the schema, by input type: Calendar v3 and Cloud Storage v1, July 2026. `edgeFields`: the edges of the graph. */
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
          conferenceSolution: { inside: { key: callType } },
          createRequest: { inside: { conferenceSolutionKey: callType } },
        },
      },
    },
  },
  ConferenceSolutionKeyInput: callType,
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
