import type { Fields } from '../../../core/patch.ts';
import { fieldMaskOf } from '../../../google/partial.ts';
import { eventWriter, writeResource } from '../../../google/write.ts';
import type { RunMethod } from '../method.ts';

/** Runs the operation of a method once, and returns its value. */
export const runOperation: RunMethod = async ({ row, schemas, args, parameters, fields, callOperation }) => {
  const schema = row.responseSchema;
  const { value, warnings } = await callOperation(row.operation, args);
  if (schema === undefined) return { warnings };
  if (schema !== 'Event')
    return { json: addConstants(schema, writeResource(schemas, schema, value as object)), warnings };
  const { etag } = value as { readonly etag: string };
  return {
    json: eventWriter(schemas, parameters.timeZone, fields && fieldMaskOf(fields))(value as object),
    ...(fields && { etagOfWhole: etag }),
    warnings,
  };
};

/** Members that are constant for all resources of a schema, and missing in the values of operations. */
const constants: Readonly<Record<string, (json: Fields) => Fields>> = {
  CalendarListEntry: (json) => ({
    defaultReminders: [],
    ...json,
    kind: 'calendar#calendarListEntry',
    selected: true,
  }),
};

export const addConstants = (schema: string, json: Fields): Fields => constants[schema]?.(json) ?? json;
