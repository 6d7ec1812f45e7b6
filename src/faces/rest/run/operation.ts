import type { Fields } from '../../../core/json-values.ts';
import { fieldMaskOf } from '../../../google/partial-response.ts';
import type { Schemas } from '../../../google/schemas.ts';
import { createEventJsonWriter, writeResource } from '../../../google/json-writer.ts';
import type { RunMethod } from '../method.ts';

/** Runs the operation of a method once, and writes its value by the method's response schema. */
export const runOperation: RunMethod = async ({ row, schemas, args, parameters, fields, callOperation }) => {
  const schema = row.responseSchema;
  const { value, warnings } = await callOperation(row.operation, args);
  if (schema === undefined) return { warnings };
  if (schema === 'CalendarListEntry') return { json: writeListEntry(schemas, value as object), warnings };
  if (schema !== 'Event') return { json: writeResource(schemas, schema, value as object), warnings };
  const { etag } = value as { readonly etag: string };
  return {
    json: createEventJsonWriter(schemas, parameters.timeZone, fields && fieldMaskOf(fields))(value as object),
    // The parameter `fields` may leave out the etag, which the ETag header needs.
    ...(fields && { etagOfWhole: etag }),
    warnings,
  };
};

/** Writes an entry of the calendar list, with the members that are constant for all of them. */
export const writeListEntry = (schemas: Schemas, calendar: object): Fields => ({
  defaultReminders: [],
  ...writeResource(schemas, 'CalendarListEntry', calendar),
  kind: 'calendar#calendarListEntry',
  selected: true,
});
