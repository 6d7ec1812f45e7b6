import type { FieldNode } from '../core/fields/table.ts';
import { describedAs } from '../core/fields/values.ts';
import { officialNames } from './names.ts';

/** The schema of a value, in the words of discovery documents. */
export interface Schema {
  readonly type?: 'string' | 'integer' | 'boolean' | 'number' | 'object' | 'array' | 'any';
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  /** The name of another schema. */
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Property>>;
  /** Official properties that there are not here. No part of discovery documents. */
  readonly notOffered?: ReadonlySet<string>;
  /** The schema of a map's values. */
  readonly additionalProperties?: Schema;
}

/** A property of a resource, and how it differs from the field behind it. What differs is no part of discovery documents. */
export interface Property extends Schema {
  /** The field behind it, where that has another name. */
  readonly field?: string;
  /** There is no field behind it: it always has this value. */
  readonly constant?: string | boolean;
  /** The value that is left out of answers. */
  readonly standard?: string | number | boolean;
  /** Official values by those behind them. */
  readonly spelled?: Readonly<Record<string, string>>;
}

/** Schemas by their official names. */
export type Schemas = Readonly<Record<string, Schema>>;

/** Differences of the official API from the fields of one table. Paths are without the brackets of lists. */
interface Differences {
  /** Official names of the schemas of objects, and of the entries of lists. */
  readonly named?: Readonly<Record<string, string>>;
  /** Fields that the official API does not have. */
  readonly without?: readonly string[];
  /** Fields whose default is in answers. */
  readonly always?: readonly string[];
  /** Further attributes of properties. */
  readonly besides?: Readonly<Record<string, Property>>;
  /** Official names of fields. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** The schemas of a table: its own, and one for each that has a name. */
function schemasFrom(
  table: FieldNode,
  name: string,
  { named = {}, without = [], always = [], besides = {}, renamed = {} }: Differences,
): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  const propertiesOf = (fields: FieldNode['fields'], above: string): Record<string, Property> =>
    Object.fromEntries(
      [...fields.values()]
        .filter(({ name }) => !without.includes(above + name))
        .map((node): [string, Property] => {
          const path = above + node.name;
          const official = renamed[path];
          const hasStandard = node.default !== undefined && !always.includes(path);
          return [
            official ?? node.name,
            {
              ...(official !== undefined && { field: node.name }),
              ...schemaOf(node, path),
              ...(hasStandard && { standard: node.default }),
              ...besides[path],
            },
          ];
        }),
    );
  const schemaOf = (node: FieldNode, path: string): Schema => {
    if (node.kind === 'leaf') return leafOf(node);
    if (node.entry) return { type: 'object', additionalProperties: leafOf(node.entry) };
    const one = node.fields.size === 0 ? leafOf(node) : objectOf(node, path);
    return node.kind === 'list' ? { type: 'array', items: one } : one;
  };
  const objectOf = (node: FieldNode, path: string): Schema => {
    const schema: Schema = { type: 'object', properties: propertiesOf(node.fields, `${path}.`) };
    const official = named[path];
    if (official === undefined) return schema;
    schemas[official] = schema;
    return { $ref: official };
  };
  const properties = propertiesOf(table.fields, '');
  return { [name]: { type: 'object', properties }, ...schemas };
}

function leafOf({ value, instant }: FieldNode): Schema {
  if (instant) return { type: 'string', format: 'date-time' };
  const description = value && describedAs(value);
  return { ...typeOf(value), ...(description !== undefined && description !== '' && { description }) };
}

function typeOf(value: FieldNode['value']): Schema {
  const { type, entries } = (value?._zod.def ?? { type: 'string' }) as {
    readonly type: string;
    readonly entries?: Readonly<Record<string, string>>;
  };
  if (entries) return { type: 'string', enum: Object.values(entries) };
  if (type === 'number') return { type: 'integer', format: 'int32' };
  return { type: type === 'boolean' ? 'boolean' : 'string' };
}

/** The tables of fields of the resources. */
interface Tables {
  readonly event: FieldNode;
  readonly calendar: FieldNode;
  readonly bucket: FieldNode;
}

const text: Schema = { type: 'string' };
const moment: Schema = { type: 'string', format: 'date-time' };
const object = (properties: Readonly<Record<string, Property>>): Schema => ({ type: 'object', properties });
const listOf = (name: string): Schema => ({ type: 'array', items: { $ref: name } });
const mapOf = (name: string): Schema => ({ type: 'object', additionalProperties: { $ref: name } });

/** A page of a list. */
const page = (name: string, more: Readonly<Record<string, Property>> = {}): Schema =>
  object({
    kind: text,
    ...more,
    items: listOf(name),
    nextPageToken: { ...text, description: 'Of the next page. Absent on the last one.' },
  });

const inverted = (names: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).map(([official, own]) => [own, official]));

const { EventInput, CalendarInput, BucketInput, ConferenceSolutionKeyInput } = officialNames;
const callTypes: Property = { spelled: inverted(ConferenceSolutionKeyInput.values.type) };

const event: Differences = {
  named: {
    start: 'EventDateTime',
    end: 'EventDateTime',
    originalStartTime: 'EventDateTime',
    attendees: 'EventAttendee',
    attachments: 'EventAttachment',
    'reminders.overrides': 'EventReminder',
    conferenceData: 'ConferenceData',
    'conferenceData.conferenceSolution': 'ConferenceSolution',
    'conferenceData.conferenceSolution.key': 'ConferenceSolutionKey',
    'conferenceData.createRequest': 'CreateConferenceRequest',
    'conferenceData.createRequest.conferenceSolutionKey': 'ConferenceSolutionKey',
    'conferenceData.createRequest.status': 'ConferenceRequestStatus',
    'conferenceData.entryPoints': 'EntryPoint',
    'conferenceData.parameters': 'ConferenceParameters',
    'conferenceData.parameters.addOnParameters': 'ConferenceParametersAddOnParameters',
  },
  always: ['status', 'sequence', 'attendees.responseStatus'],
  besides: {
    'conferenceData.conferenceSolution.key.type': callTypes,
    'conferenceData.createRequest.conferenceSolutionKey.type': callTypes,
    ...Object.fromEntries(
      ['start', 'end', 'originalStartTime'].flatMap((name) => [
        [`${name}.date`, { format: 'date' }],
        [`${name}.dateTime`, { format: 'date-time' }],
      ]),
    ),
  },
  renamed: inverted(EventInput.renamed),
};

const nowhere = ['nodeId', 'created', 'updated'];
const entry: Differences = { named: { defaultReminders: 'EventReminder' }, without: nowhere };
const calendar: Differences = {
  without: [...nowhere, 'backgroundColor', 'defaultReminders', 'accessRole', 'primary'],
};
const bucket: Differences = {
  without: ['nodeId', 'project', 'managers'],
  besides: { metageneration: { format: 'int64' } },
};

/** What stands around the resources, and those without a table of this form. */
const others: Schemas = {
  Events: page('Event', {
    etag: text,
    summary: { ...text, description: "The calendar's." },
    timeZone: text,
    accessRole: text,
    defaultReminders: listOf('EventReminder'),
    nextSyncToken: {
      ...text,
      description: 'Later lists with it have only what was changed since. On the last page alone.',
    },
  }),
  CalendarList: page('CalendarListEntry', { etag: text }),
  Acl: page('AclRule', { etag: text }),
  AclRule: object({
    kind: text,
    etag: text,
    id: text,
    scope: object({
      type: { ...text, description: 'user' },
      value: { ...text, description: 'An e-mail address.' },
    }),
    role: text,
  }),
  Colors: object({
    kind: text,
    updated: moment,
    calendar: mapOf('ColorDefinition'),
    event: mapOf('ColorDefinition'),
  }),
  ColorDefinition: object({ background: text, foreground: text }),
  FreeBusyRequest: object({
    timeMin: moment,
    timeMax: moment,
    timeZone: text,
    items: listOf('FreeBusyRequestItem'),
  }),
  FreeBusyRequestItem: object({ id: { ...text, description: 'Of a calendar.' } }),
  FreeBusyResponse: object({
    kind: text,
    timeMin: moment,
    timeMax: moment,
    calendars: mapOf('FreeBusyCalendar'),
  }),
  FreeBusyCalendar: object({ busy: listOf('TimePeriod'), errors: listOf('Error') }),
  TimePeriod: object({ start: moment, end: moment }),
  Error: object({ domain: text, reason: text }),
  Notification: object({
    kind: text,
    id: text,
    etag: text,
    selfLink: text,
    topic: { ...text, description: 'As //pubsub.googleapis.com/projects/PROJECT/topics/TOPIC.' },
    event_types: { type: 'array', items: text },
    object_name_prefix: text,
    payload_format: text,
    custom_attributes: { type: 'object', additionalProperties: text },
  }),
  Notifications: object({ kind: text, items: listOf('Notification') }),
  Buckets: page('Bucket'),
  Objects: page('Object'),
  Object: object({ kind: text, name: text }),
};

/** The schemas of both APIs by their official names, made of the tables of fields. */
export function createSchemas(tables: Tables): Schemas {
  const { Event, ...parts } = schemasFrom(tables.event, 'Event', event);
  const { CalendarListEntry } = schemasFrom(tables.calendar, 'CalendarListEntry', entry);
  const { Calendar } = schemasFrom(tables.calendar, 'Calendar', calendar);
  const { Bucket, ...ofBucket } = schemasFrom(tables.bucket, 'Bucket', bucket);
  return {
    ...parts,
    Event: {
      ...Event,
      notOffered: EventInput.notOffered,
      properties: {
        ...Event?.properties,
        eventType: { ...text, constant: EventInput.always.eventType, description: 'Always default.' },
      },
    },
    CalendarListEntry: {
      ...CalendarListEntry,
      notOffered: CalendarInput.notOffered,
      properties: {
        ...CalendarListEntry?.properties,
        primary: { type: 'boolean', standard: false },
        selected: { type: 'boolean', constant: CalendarInput.always.selected, description: 'Always true.' },
      },
    },
    Calendar: { ...Calendar, notOffered: CalendarInput.notOffered },
    Bucket: { ...Bucket, notOffered: BucketInput.notOffered },
    ...ofBucket,
    ...others,
  };
}
