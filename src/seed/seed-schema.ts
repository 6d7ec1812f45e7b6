import { z } from 'zod';
import { limits as bucketLimits } from '../bucket/bucket.fields.ts';
import { calendarFields, limits as calendarLimits } from '../calendar/calendar.fields.ts';
import { renameFieldsDeep, type InputNames } from '../core/fields/coerce.ts';
import { maxReminders, reminderFields } from '../core/fields/table.ts';
import type { Path } from '../core/errors.ts';
import { isFields } from '../core/json.ts';
import type { Report } from '../core/report.ts';
import { countUtf8Bytes, isStorable, unstorableMessage } from '../core/text/characters.ts';
import { isEmail } from '../core/text/email.ts';
import { isTimeZone, windowsToIana, zoneWarningMessage } from '../core/time/time-zone.ts';
import { zoneSpelling } from '../core/time/zone-clock.ts';
import { officialNames } from '../google/api-differences.ts';

const emailSchema = z.string().refine(isEmail, 'This must be an e-mail address.');

/** Creates the schema of a calendar field, with the rules of the field table. */
const createSettingSchema = (field: string) =>
  z.string().superRefine((value, context) => {
    if (!isStorable(value)) context.addIssue({ code: 'custom', message: unstorableMessage });
    for (const { message } of calendarFields.fields.get(field)?.value?.safeParse(value).error?.issues ?? [])
      context.addIssue({ code: 'custom', message });
  });

/** Creates the schema of an id or name, which is limited because it is part of database keys. */
const createNameSchema = (maxBytes: number) =>
  z
    .string()
    .min(1)
    .refine((text) => countUtf8Bytes(text) <= maxBytes, `This has at most ${maxBytes} bytes (UTF-8).`);

/** Maximum of counts, so that they stay exact as numbers. */
const maxCount = 999_999_999_999_999;
const countSchema = z.number().int().min(0).max(maxCount);

const timeSchema = z.iso.datetime({ error: 'This must be a time in UTC, such as 2026-12-01T10:00:00Z.' });

/** Input names of each kind of entry. `notOffered`: fields of Google's resources that are dropped with a warning. */
export const inputNamesOfEntries = {
  calendars: {
    ...officialNames.CalendarInput,
    notOffered: new Set([
      ...officialNames.CalendarInput.notOffered,
      ...['kind', 'etag', 'nodeId', 'accessRole', 'primary'],
    ]),
  },
  buckets: {
    notOffered: new Set([
      ...officialNames.BucketInput.notOffered,
      ...['kind', 'id', 'nodeId', 'etag', 'selfLink'],
    ]),
  },
};

/** Renames the fields of an entry to those of a seed. The report warns about dropped fields. */
export function renameSeedEntry(entry: unknown, names: InputNames, path: Path, report: Report): unknown {
  if (!isFields(entry)) return entry;
  const zone = typeof entry.timeZone === 'string' ? windowsToIana(entry.timeZone) : undefined;
  if (zone !== undefined) report.warn([...path, 'timeZone'], 'normalized', zoneWarningMessage(zone));
  return renameFieldsDeep(entry, names, path, report);
}

/** Schema of a seed; its entries are checked one by one. */
export const seedSchema = z.strictObject({
  calendars: z.array(z.unknown()).optional(),
  buckets: z.array(z.unknown()).optional(),
});

/** Schema of a calendar in a seed. Its events are checked one by one. */
export const calendarSchema = z.strictObject({
  id: createNameSchema(1024).refine(
    (id) => id !== 'primary',
    "No calendar can have this id: it stands for the caller's own.",
  ),
  owner: emailSchema,
  summary: createSettingSchema('summary').optional(),
  description: createSettingSchema('description').optional(),
  location: createSettingSchema('location').optional(),
  timeZone: z
    .string()
    .transform((name) => zoneSpelling(windowsToIana(name) ?? name))
    .refine(isTimeZone, 'This must be the name of an IANA time zone.'),
  backgroundColor: createSettingSchema('backgroundColor')
    .transform((color) => color.toLowerCase())
    .optional(),
  created: timeSchema.optional(),
  updated: timeSchema.optional(),
  /** True for a secondary calendar, as in `CalendarRecord`. */
  neverPrimary: z.literal(true).optional(),
  defaultReminders: z
    .array(z.strictObject({ method: z.enum(['email', 'popup']), minutes: reminderFields.minutes.value }))
    .max(maxReminders)
    .default([]),
  acl: z
    .array(
      z.strictObject({
        email: emailSchema,
        role: z.enum(['none', 'freeBusyReader', 'reader', 'writer', 'owner']),
      }),
    )
    .max(calendarLimits.maxAccessEntries)
    .default([]),
  events: z.array(z.unknown()).default([]),
});

/** Schema of a bucket in a seed. Its notifications are checked one by one. */
export const bucketSchema = z.strictObject({
  name: createNameSchema(222),
  project: z.string().min(1),
  requesterPays: z.boolean().optional(),
  /** Alternative form of `requesterPays`, as in Google's API. */
  billing: z.strictObject({ requesterPays: z.boolean().optional() }).optional(),
  managers: z.array(emailSchema).max(bucketLimits.maxManagers).default([]),
  metageneration: countSchema.optional(),
  timeCreated: timeSchema.optional(),
  updated: timeSchema.optional(),
  /** Notification ids up to this one belong to earlier buckets of the same name. */
  idsBefore: countSchema.optional(),
  /** Highest notification id that was ever used in the bucket. */
  lastId: countSchema.optional(),
  notifications: z.array(z.unknown()).default([]),
});
