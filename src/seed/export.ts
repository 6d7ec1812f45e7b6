import type { CalendarRecord } from '../calendar/calendar.store.ts';
import { StartError } from '../core/errors.ts';
import { canonicalJson, sortFields } from '../core/json.ts';
import { addressKey } from '../core/text/email.ts';
import { exportEvents } from '../event/event.export.ts';
import type { SeedTarget } from './import.ts';

interface ExportOptions {
  /** Exports only this calendar, and no buckets. */
  readonly calendarId?: string;
  /** Called after every thousand events, and in the end with the total. */
  readonly onProgress?: ((exportedCount: number, total?: number) => void) | undefined;
}

type ExportSource = Pick<SeedTarget, 'calendars' | 'events' | 'buckets' | 'notifications' | 'eventTools'>;

/** Number of records that are read at once. */
const pageSize = 250;
const eventsPerProgress = 1000;

/** Exports a store as a seed file, one line per event and bucket. The same content gives the same file. */
export async function* exportData(
  source: ExportSource,
  { calendarId, onProgress }: ExportOptions = {},
): AsyncGenerator<string> {
  const readSelectedCalendars =
    calendarId === undefined ? () => readCalendars(source) : () => readCalendar(source, calendarId);
  const ids = new Set<string>();
  for await (const { id } of readSelectedCalendars()) ids.add(id);
  let exportedCount = 0;
  yield '{"calendars":[\n';
  yield* joinEntries(readSelectedCalendars(), async function* (calendar) {
    yield `${JSON.stringify(await readSettings(source, calendar)).slice(0, -1)},"events":[\n`;
    yield* joinEntries(
      exportEvents(source.events, calendar, (id) => ids.has(id), source.eventTools),
      async function* (event) {
        yield canonicalJson(event);
        exportedCount += 1;
        if (exportedCount % eventsPerProgress === 0) onProgress?.(exportedCount);
      },
    );
    yield ']}';
  });
  onProgress?.(exportedCount, exportedCount);
  yield '],"buckets":[\n';
  if (calendarId === undefined)
    yield* joinEntries(readBuckets(source), async function* (bucket) {
      yield JSON.stringify(bucket);
    });
  yield ']}\n';
}

/** Joins the entries of a JSON list, each on lines of its own. */
async function* joinEntries<T>(
  entries: AsyncIterable<T>,
  writeEntry: (entry: T) => AsyncIterable<string>,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const entry of entries) {
    if (!isFirst) yield ',\n';
    isFirst = false;
    yield* writeEntry(entry);
  }
  if (!isFirst) yield '\n';
}

async function* readCalendars({ calendars }: ExportSource): AsyncGenerator<CalendarRecord> {
  for (let lastId = ''; ;) {
    const page = await calendars.calendarsAfter(lastId, pageSize);
    yield* page;
    if (page.length < pageSize) return;
    lastId = page.at(-1)?.id ?? '';
  }
}

async function* readCalendar({ calendars }: ExportSource, id: string): AsyncGenerator<CalendarRecord> {
  const [calendar] = await calendars.calendars([{ id }]);
  if (!calendar) throw new StartError(`There is no calendar ${JSON.stringify(id)}.`);
  yield calendar;
}

/** Picks fields of a record, in the order of `names`. */
const pickFields = <T extends object, Name extends keyof T>(
  record: T,
  names: readonly Name[],
): Partial<Record<Name, unknown>> =>
  Object.fromEntries(names.map((name) => [name, record[name]])) as Partial<Record<Name, unknown>>;

/** Exports a calendar's settings. Sets `neverPrimary` on secondary calendars, because a file has no order of creation. */
async function readSettings({ calendars }: ExportSource, calendar: CalendarRecord): Promise<object> {
  const { id, owner, defaultReminders, acl } = calendar;
  const [primary] = await calendars.calendars([{ primaryOf: addressKey(owner) }]);
  return {
    ...pickFields(calendar, settingNames),
    ...(primary?.id !== id && { neverPrimary: true }),
    defaultReminders: defaultReminders.map(({ method, minutes }) => ({ method, minutes })),
    acl: acl.map(({ email, role }) => ({ email, role })),
  };
}

/** Fields of a calendar in a seed file, in their order. */
const settingNames = [
  ...(['id', 'owner', 'summary', 'description', 'location'] as const),
  ...(['timeZone', 'backgroundColor', 'created', 'updated'] as const),
];

async function* readBuckets({ buckets, notifications }: ExportSource): AsyncGenerator<object> {
  for (let lastName = ''; ;) {
    const page = await buckets.bucketsAfter(lastName, pageSize);
    const notificationLists = await notifications.notifications(page.map(({ bucket }) => bucket.name));
    for (const [index, { bucket, lastId }] of page.entries()) {
      const sortedNotifications = [...(notificationLists[index] ?? [])].sort(
        (left, right) => Number(left.id) - Number(right.id),
      );
      yield {
        ...pickFields(bucket, bucketFieldNames),
        lastId,
        notifications: sortedNotifications.map((body) => ({
          ...pickFields(body, notificationFieldNames),
          ...(body.custom_attributes && { custom_attributes: sortFields(body.custom_attributes) }),
        })),
      };
    }
    if (page.length < pageSize) return;
    lastName = page.at(-1)?.bucket.name ?? '';
  }
}

/** Fields of a bucket and of a notification in a seed file, in their order. */
const bucketFieldNames = [
  ...(['name', 'project', 'requesterPays', 'managers'] as const),
  ...(['metageneration', 'timeCreated', 'updated', 'idsBefore'] as const),
];
const notificationFieldNames = [
  ...(['id', 'topic', 'event_types'] as const),
  ...(['custom_attributes', 'object_name_prefix', 'payload_format'] as const),
];
