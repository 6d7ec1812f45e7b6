import type { OutgoingMessage } from '../../notification/message.store.ts';

export const contentType = 'application/cloudevents+json';

const kinds: Readonly<Record<string, string>> = {
  OBJECT_FINALIZE: 'finalized',
  OBJECT_DELETE: 'deleted',
  OBJECT_ARCHIVE: 'archived',
  OBJECT_METADATA_UPDATE: 'metadataUpdated',
};

/** A message as CloudEvent 1.0 in JSON. The object stands in it as it is in the message, character by character. */
export function cloudEventOf({ id, attributes, data }: OutgoingMessage): string {
  const { eventType = '', bucketId: bucket, objectId, eventTime } = attributes;
  const head = JSON.stringify({
    specversion: '1.0',
    id,
    type: `google.cloud.storage.object.v1.${kinds[eventType] ?? 'changed'}`,
    source: `//storage.googleapis.com/projects/_/buckets/${bucket ?? ''}`,
    subject: objectId === undefined ? undefined : `objects/${objectId}`,
    time: eventTime,
    bucket,
    attributes: printable(JSON.stringify(attributes)),
    datacontenttype: data === '' ? undefined : 'application/json',
  });
  return data === '' ? head : `${head.slice(0, -1)},"data":${data}}`;
}

/** JSON text with escapes for what a string of a CloudEvent may not hold: controls that JSON allows, and code points that are none. */
const printable = (json: string): string =>
  json.replace(/[\u007f-\u009f]|\p{Noncharacter_Code_Point}/gu, (found) =>
    Array.from(
      { length: found.length },
      (_, index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
