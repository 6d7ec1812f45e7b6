import type { CalendarRecord } from '../calendar/calendar.ts';
import { StartError } from '../core/errors.ts';
import { canonicalJson } from '../core/json.ts';
import { addressKey } from '../core/text/email.ts';
import { exportEvents } from '../event/event.export.ts';
import type { SeedTarget } from './seed.ts';

interface ExportOptions {
  /** Only this calendar, and no buckets. */
  readonly calendarId?: string;
  /** Called with the number of events so far. */
  readonly onProgress?: (done: number) => void;
}

type ExportSource = Pick<SeedTarget, 'calendars' | 'events' | 'buckets' | 'notifications' | 'eventTools'>;

/** How many calendars or buckets are read together. */
const pageSize = 250;

/** A store's content as a seed file, a line at a time: one for each event and each bucket, the same for the same content. */
export async function* exportData(
  source: ExportSource,
  { calendarId, onProgress }: ExportOptions = {},
): AsyncGenerator<string> {
  const calendars =
    calendarId === undefined ? () => allCalendars(source) : () => oneCalendar(source, calendarId);
  const ids = new Set<string>();
  for await (const { id } of calendars()) ids.add(id);
  let done = 0;
  yield '{"calendars":[\n';
  yield* separated(calendars(), async function* (calendar) {
    yield `${JSON.stringify(await settingsOf(source, calendar)).slice(0, -1)},"events":[\n`;
    yield* separated(
      exportEvents(source.events, calendar, (id) => ids.has(id), source.eventTools),
      async function* (event) {
        yield canonicalJson(event);
        onProgress?.((done += 1));
      },
    );
    yield ']}';
  });
  yield '],"buckets":[\n';
  if (calendarId === undefined)
    yield* separated(allBuckets(source), async function* (bucket) {
      yield JSON.stringify(bucket);
    });
  yield ']}\n';
}

/** Entries of a list, each on lines of its own. */
async function* separated<T>(
  entries: AsyncIterable<T>,
  linesOf: (entry: T) => AsyncIterable<string>,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const entry of entries) {
    if (!isFirst) yield ',\n';
    isFirst = false;
    yield* linesOf(entry);
  }
  if (!isFirst) yield '\n';
}

async function* allCalendars({ calendars }: ExportSource): AsyncGenerator<CalendarRecord> {
  for (let behind = ''; ;) {
    const page = await calendars.calendarsBehind(behind, pageSize);
    yield* page;
    if (page.length < pageSize) return;
    behind = page.at(-1)?.id ?? '';
  }
}

async function* oneCalendar({ calendars }: ExportSource, id: string): AsyncGenerator<CalendarRecord> {
  const [found] = await calendars.calendars([{ id }]);
  if (!found) throw new StartError(`There is no calendar ${JSON.stringify(id)}.`);
  yield found;
}

/** These fields of a record, in this order. */
const pick = <T extends object, Name extends keyof T>(
  record: T,
  names: readonly Name[],
): Partial<Record<Name, unknown>> =>
  Object.fromEntries(names.map((name) => [name, record[name]])) as Partial<Record<Name, unknown>>;

/** A calendar's settings; those that its owner does not address as `primary` say so, since a file keeps no order of their making. */
async function settingsOf({ calendars }: ExportSource, calendar: CalendarRecord): Promise<object> {
  const { id, owner, defaultReminders, acl } = calendar;
  const [primary] = await calendars.calendars([{ primaryOf: addressKey(owner) }]);
  return {
    ...pick(calendar, settings),
    ...(primary?.id !== id && { neverPrimary: true }),
    defaultReminders: defaultReminders.map(({ method, minutes }) => ({ method, minutes })),
    acl: acl.map(({ email, role }) => ({ email, role })),
  };
}

const settings = [
  ...(['id', 'owner', 'summary', 'description', 'location'] as const),
  ...(['timeZone', 'backgroundColor', 'created', 'updated'] as const),
];

async function* allBuckets({ buckets, notifications }: ExportSource): AsyncGenerator<object> {
  for (let behind = ''; ;) {
    const page = await buckets.bucketsBehind(behind, pageSize);
    const lists = await notifications.notifications(page.map(({ bucket }) => bucket.name));
    for (const [index, { bucket, lastId }] of page.entries()) {
      const bodies = [...(lists[index] ?? [])].sort((one, other) => Number(one.id) - Number(other.id));
      yield {
        ...pick(bucket, bucketFields),
        lastId,
        notifications: bodies.map((body) => ({
          ...pick(body, notificationFields),
          ...(body.custom_attributes && { custom_attributes: inOrder(body.custom_attributes) }),
        })),
      };
    }
    if (page.length < pageSize) return;
    behind = page.at(-1)?.bucket.name ?? '';
  }
}

const bucketFields = [
  ...(['name', 'project', 'requesterPays', 'managers'] as const),
  ...(['metageneration', 'timeCreated', 'updated', 'idsBefore'] as const),
];
const notificationFields = [
  ...(['id', 'topic', 'event_types'] as const),
  ...(['custom_attributes', 'object_name_prefix', 'payload_format'] as const),
];

const inOrder = (map: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
