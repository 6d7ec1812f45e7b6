import { readFileSync } from 'node:fs';
import { Temporal } from 'temporal-polyfill';
import { packagePath } from '../core/package-files.ts';

/** Sample operations on one resource as one document, with shared variables. */
export interface SampleSet {
  readonly name: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Names of the sample sets, in the order in which explorers show them. */
const setNames = ['Events', 'Calendars', 'Notifications', 'Buckets', 'Channels'];

const demoZone = 'Europe/Berlin';

const readSampleFile = (file: string): string => readFileSync(packagePath(`schema/samples/${file}`), 'utf8');

const sampleDocuments = setNames.map((name) => ({
  name,
  document: readSampleFile(`${name.toLowerCase()}.graphql`).trimEnd(),
}));
const variablesText = readSampleFile('variables.json');

/** Returns the date (`yyyy-mm-dd`) that is `daysAfterMonday` days after Monday of the week of an instant. */
export function dateInWeek(instant: number, timeZone: string, daysAfterMonday: number): string {
  const today = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).toPlainDate();
  return today.add({ days: 1 - today.dayOfWeek + daysAfterMonday }).toString();
}

/**
 * Reads JSON with placeholders for dates relative to Monday of the week of `now`: `{+3}` stands for the date 3 days after it,
 * `{+3 basic}` for this date without hyphens, `{+3T09:00}` for a local time with its offset, and `{+3T09:00 in UTC}` for its
 * instant as in ids of instances.
 */
function parseWithDates(json: string, now: number): unknown {
  const replaceDate = (_text: string, days: string, time?: string, format?: string): string => {
    const date = dateInWeek(now, demoZone, Number(days));
    if (time === undefined) return format === undefined ? date : date.replaceAll('-', '');
    const zoned = Temporal.PlainDateTime.from(`${date}${time}`).toZonedDateTime(demoZone);
    return format === undefined
      ? zoned.toString({ timeZoneName: 'never' })
      : zoned.toInstant().toString().replaceAll(/[-:]/g, '');
  };
  return JSON.parse(json.replaceAll(/\{([+-]\d+)(T\d\d:\d\d)?( basic| in UTC)?\}/g, replaceDate));
}

/** Returns the samples for explorers: a set for each resource, an operation for each root field. */
export function createSampleSets(now: number): readonly SampleSet[] {
  const variables = parseWithDates(variablesText, now) as Readonly<Record<string, SampleSet['variables']>>;
  return sampleDocuments.map((sample) => ({ ...sample, variables: variables[sample.name] ?? {} }));
}

/** Combines all samples, for an explorer that shows a single document. Variable names are unique across sets. */
export function combineSampleSets(now: number): SampleSet {
  const sets = createSampleSets(now);
  return {
    name: 'Gateway',
    document: sets.map(({ document }) => document).join('\n\n'),
    variables: Object.assign({}, ...sets.map(({ variables }) => variables)) as SampleSet['variables'],
  };
}

/** Subject of the demo's token: owner of the first calendar and manager of the buckets. */
export const demoUser = 'alice@example.com';

/** Objects of a seed that the start of the demo names in commands. */
export interface SeedNames {
  /** The owner of the first calendar: the subject of the demo's token. */
  readonly user: string;
  /** An event on the owner's primary calendar. */
  readonly eventId?: string;
  /** A bucket that the owner manages, without requester-pays. */
  readonly bucket?: string;
}

/** Parts of a seed in which names for commands are found. */
interface SeedContent {
  readonly calendars: readonly {
    readonly id: string;
    readonly owner: string;
    readonly events?: readonly {
      readonly id?: string;
      readonly status?: string;
      readonly recurringEventId?: string;
    }[];
  }[];
  readonly buckets: readonly {
    readonly name: string;
    readonly requesterPays?: boolean;
    readonly managers?: readonly string[];
  }[];
}

/** Finds names for commands in a seed that was loaded, and so is valid. */
export function findSeedNames(seed: unknown): SeedNames {
  const { calendars = [], buckets = [] } = seed as Partial<SeedContent>;
  const user = calendars[0]?.owner ?? demoUser;
  const ownedCalendars = calendars.filter(({ owner }) => owner === user);
  const primaryCalendar = ownedCalendars.find(({ id }) => id === user) ?? ownedCalendars[0];
  return {
    user,
    eventId: primaryCalendar?.events?.find(
      ({ id, status, recurringEventId }) =>
        id !== undefined && status !== 'cancelled' && recurringEventId === undefined,
    )?.id,
    bucket: buckets.find(({ managers, requesterPays }) => !requesterPays && managers?.includes(user))?.name,
  };
}

/** Creates the demo's data from the current week on: three calendars, and three buckets, one of them requester-pays. */
export const demoData = (now: number): SeedContent =>
  parseWithDates(readSampleFile('demo.json'), now) as SeedContent;

/** Creates the data of a demo that starts now: `demoData`, and events of the owner in a month around it. */
export function demoMonth(now: number): SeedContent {
  const { calendars, buckets } = demoData(now);
  const monthEvents = parseWithDates(readSampleFile('demo-month.json'), now) as readonly object[];
  return {
    calendars: calendars.map((calendar, index) =>
      index === 0 ? { ...calendar, events: [...(calendar.events ?? []), ...monthEvents] } : calendar,
    ),
    buckets,
  };
}
