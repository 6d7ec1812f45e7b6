import type { ObjectEventType, PayloadFormat } from '../gql/graphql.ts';

/** Event types, each with the label that every part of the page uses. */
export const eventTypes: readonly (readonly [ObjectEventType, string])[] = [
  ['OBJECT_FINALIZE', 'Object created (OBJECT_FINALIZE)'],
  ['OBJECT_METADATA_UPDATE', 'Metadata updated (OBJECT_METADATA_UPDATE)'],
  ['OBJECT_DELETE', 'Object deleted (OBJECT_DELETE)'],
  ['OBJECT_ARCHIVE', 'Object archived (OBJECT_ARCHIVE)'],
];

/** Formats of message bodies, each with its label. */
export const payloadFormats: readonly (readonly [PayloadFormat, string])[] = [
  ['JSON_API_V1', 'Object as JSON (JSON_API_V1)'],
  ['NONE', 'No body (NONE)'],
];

export const shortenTopicName = (topic: string): string => topic.replace(/^.*\/topics\//, '');

/** Label of a value, or the value itself if it is newer than this page. */
export const labelOf = (labels: readonly (readonly [string, string])[], value: string): string =>
  labels.find(([labelledValue]) => labelledValue === value)?.[1] ?? value;
