import type { Fields } from '../../../core/patch.ts';
import { partOf } from '../../../google/partial.ts';
import { eventWriter, written } from '../../../google/write.ts';
import type { Run } from '../method.ts';

/** Runs the operation of a row once, and answers with its value. */
export const runOperation: Run = async ({ row, schemas, args, given, fields, operation }) => {
  const { value, warnings } = await operation(row.operation, args);
  if (row.answer === undefined) return { warnings };
  if (row.answer !== 'Event')
    return { json: finished(row.answer, written(schemas, row.answer, value as object)), warnings };
  const { etag } = value as { readonly etag: string };
  return {
    json: eventWriter(schemas, given.timeZone, fields && partOf(fields))(value as object),
    ...(fields && { etagOfWhole: etag }),
    warnings,
  };
};

/** What is the same of all resources of a kind, and of no operation's. */
const constants: Readonly<Record<string, (json: Fields) => Fields>> = {
  CalendarListEntry: (json) => ({
    defaultReminders: [],
    ...json,
    kind: 'calendar#calendarListEntry',
    selected: true,
  }),
};

export const finished = (schema: string, json: Fields): Fields => constants[schema]?.(json) ?? json;
