import type { ObjectEventType } from '../gql/graphql.ts';

export const eventTypes: readonly (readonly [ObjectEventType, string])[] = [
  ['OBJECT_FINALIZE', 'Written'],
  ['OBJECT_METADATA_UPDATE', 'Metadata changed'],
  ['OBJECT_DELETE', 'Deleted'],
  ['OBJECT_ARCHIVE', 'Archived'],
];
