import { type FieldNode, descriptionOf } from '../core/fields/table.ts';
import { officialNames } from './api-differences.ts';

/** Schema of a value in Google's discovery format. */
export interface Schema {
  readonly type?: 'string' | 'integer' | 'boolean' | 'number' | 'object' | 'array' | 'any';
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Property>>;
  /** Official properties that the gateway does not offer. Not published in discovery documents. */
  readonly notOffered?: ReadonlySet<string>;
  readonly additionalProperties?: Schema;
}

/** A property of a resource, and its differences from the field behind it. The differences are not published. */
export interface Property extends Schema {
  /** Name of the field, if it differs from that of the property. */
  readonly field?: string;
  /** Value that every resource has here, since the gateway has no field behind the property. */
  readonly constant?: string | boolean;
  /** Default value, which responses omit. */
  readonly omittedDefault?: string | number | boolean;
  /** Official values by field values. */
  readonly officialValues?: Readonly<Record<string, string>>;
}

export type Schemas = Readonly<Record<string, Schema>>;

/** Differences of the official API from a table of fields. Keys and entries are paths without list indexes. */
interface Differences {
  /** Official schema names of objects and list entries. */
  readonly refs?: Readonly<Record<string, string>>;
  /** Paths of fields that the official API lacks. */
  readonly omitted?: readonly string[];
  /** Fields that responses contain even with their default. */
  readonly alwaysWritten?: readonly string[];
  /** Further attributes of properties, by path. */
  readonly attributes?: Readonly<Record<string, Property>>;
  /** Official names of properties, by path. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Properties without a field of the table, or that replace the one of a field. */
  readonly properties?: Readonly<Record<string, Property>>;
  readonly notOffered?: Schema['notOffered'];
}

/** Builds the schema of a table of fields, and the schemas to which it refers. */
function buildSchemas(
  table: FieldNode,
  schemaName: string,
  { refs = {}, omitted = [], alwaysWritten = [], attributes = {}, renamed = {}, ...additions }: Differences,
): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  const propertiesOf = (fields: FieldNode['fields'], prefix: string): Record<string, Property> =>
    Object.fromEntries(
      [...fields.values()]
        .filter(({ name }) => !omitted.includes(prefix + name))
        .map((node): [string, Property] => {
          const path = prefix + node.name;
          const officialName = renamed[path];
          const isDefaultOmitted = node.default !== undefined && !alwaysWritten.includes(path);
          return [
            officialName ?? node.name,
            {
              ...(officialName !== undefined && { field: node.name }),
              ...buildValueSchema(node, path),
              ...(isDefaultOmitted && { omittedDefault: node.default }),
              ...attributes[path],
            },
          ];
        }),
    );
  const buildValueSchema = (node: FieldNode, path: string): Schema => {
    if (node.kind === 'leaf') return buildLeafSchema(node);
    if (node.entry) return { type: 'object', additionalProperties: buildLeafSchema(node.entry) };
    const valueSchema = node.fields.size === 0 ? buildLeafSchema(node) : buildObjectSchema(node, path);
    return node.kind === 'list' ? { type: 'array', items: valueSchema } : valueSchema;
  };
  const buildObjectSchema = (node: FieldNode, path: string): Schema => {
    const schema: Schema = { type: 'object', properties: propertiesOf(node.fields, `${path}.`) };
    const officialRef = refs[path];
    if (officialRef === undefined) return schema;
    schemas[officialRef] = schema;
    return { $ref: officialRef };
  };
  const properties = { ...propertiesOf(table.fields, ''), ...additions.properties };
  return { ...schemas, [schemaName]: { type: 'object', notOffered: additions.notOffered, properties } };
}

/** Builds the schema of a field without inner fields. */
function buildLeafSchema({ value, isInstant }: FieldNode): Schema {
  if (isInstant) return { type: 'string', format: 'date-time' };
  const description = value && descriptionOf(value);
  return {
    ...buildTypeSchema(value),
    ...(description !== undefined && description !== '' && { description }),
  };
}

function buildTypeSchema(value: FieldNode['value']): Schema {
  const { type, entries } = (value?._zod.def ?? { type: 'string' }) as {
    readonly type: string;
    readonly entries?: Readonly<Record<string, string>>;
  };
  if (entries) return { type: 'string', enum: Object.values(entries) };
  if (type === 'number') return { type: 'integer', format: 'int32' };
  return { type: type === 'boolean' ? 'boolean' : 'string' };
}

interface Tables {
  readonly event: FieldNode;
  readonly calendar: FieldNode;
  readonly bucket: FieldNode;
}

const textSchema: Schema = { type: 'string' };
const dateTimeSchema: Schema = { type: 'string', format: 'date-time' };
const textProperties = (...names: readonly string[]): Readonly<Record<string, Property>> =>
  Object.fromEntries(names.map((name) => [name, textSchema]));
const objectSchema = (properties: Readonly<Record<string, Property>>): Schema => ({
  type: 'object',
  properties,
});
/** Schemas of lists and maps whose values have the schema `name`. */
const listSchema = (name: string): Schema => ({ type: 'array', items: { $ref: name } });
const mapSchema = (name: string): Schema => ({ type: 'object', additionalProperties: { $ref: name } });

const pageSchema = (name: string, extraProperties: Readonly<Record<string, Property>> = {}): Schema =>
  objectSchema({
    kind: textSchema,
    ...extraProperties,
    items: listSchema(name),
    nextPageToken: { ...textSchema, description: 'The token of the next page; absent on the last one.' },
  });

const invertNames = (names: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).map(([officialName, fieldName]) => [fieldName, officialName]));

const { EventInput, CalendarInput, BucketInput, ConferenceSolutionKeyInput } = officialNames;
const conferenceTypeAttributes: Property = {
  officialValues: invertNames(ConferenceSolutionKeyInput.values.type),
};

const eventDifferences: Differences = {
  refs: {
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
  alwaysWritten: ['status', 'sequence', 'attendees.responseStatus'],
  attributes: {
    'conferenceData.conferenceSolution.key.type': conferenceTypeAttributes,
    'conferenceData.createRequest.conferenceSolutionKey.type': conferenceTypeAttributes,
    ...Object.fromEntries(
      ['start', 'end', 'originalStartTime'].flatMap((name) => [
        [`${name}.date`, { format: 'date' }],
        [`${name}.dateTime`, { format: 'date-time' }],
      ]),
    ),
  },
  renamed: invertNames(EventInput.renamed),
  properties: {
    eventType: {
      ...textSchema,
      constant: EventInput.fixedValues.eventType,
      description: 'Always default.',
    },
  },
  notOffered: EventInput.notOffered,
};

/** Fields that only the gateway's resources have. */
const gatewayFields = ['nodeId', 'created', 'updated'];
const listEntryDifferences: Differences = {
  refs: { defaultReminders: 'EventReminder' },
  omitted: gatewayFields,
  properties: {
    primary: { type: 'boolean', omittedDefault: false },
    selected: {
      type: 'boolean',
      constant: CalendarInput.fixedValues.selected,
      description: 'Always true.',
    },
  },
  notOffered: CalendarInput.notOffered,
};
const calendarDifferences: Differences = {
  omitted: [...gatewayFields, 'backgroundColor', 'defaultReminders', 'accessRole', 'primary'],
  notOffered: CalendarInput.notOffered,
};
const bucketDifferences: Differences = {
  omitted: ['nodeId', 'project', 'managers'],
  attributes: { metageneration: { format: 'int64' } },
  notOffered: BucketInput.notOffered,
};

/** Schemas of lists, and of resources without a table of fields. */
const otherSchemas: Schemas = {
  Events: pageSchema('Event', {
    etag: textSchema,
    summary: { ...textSchema, description: "The calendar's." },
    timeZone: textSchema,
    accessRole: textSchema,
    defaultReminders: listSchema('EventReminder'),
    nextSyncToken: {
      ...textSchema,
      description: 'Later lists with it have only changes since then. Only on the last page.',
    },
  }),
  CalendarList: pageSchema('CalendarListEntry', { etag: textSchema }),
  Acl: pageSchema('AclRule', { etag: textSchema }),
  AclRule: objectSchema({
    ...textProperties('kind', 'etag', 'id'),
    scope: objectSchema({
      type: { ...textSchema, description: 'user' },
      value: { ...textSchema, description: 'An e-mail address.' },
    }),
    role: textSchema,
  }),
  Colors: objectSchema({
    kind: textSchema,
    updated: dateTimeSchema,
    calendar: mapSchema('ColorDefinition'),
    event: mapSchema('ColorDefinition'),
  }),
  ColorDefinition: objectSchema({ background: textSchema, foreground: textSchema }),
  FreeBusyRequest: objectSchema({
    timeMin: dateTimeSchema,
    timeMax: dateTimeSchema,
    timeZone: textSchema,
    items: listSchema('FreeBusyRequestItem'),
  }),
  FreeBusyRequestItem: objectSchema({ id: { ...textSchema, description: 'Of a calendar.' } }),
  FreeBusyResponse: objectSchema({
    kind: textSchema,
    timeMin: dateTimeSchema,
    timeMax: dateTimeSchema,
    calendars: mapSchema('FreeBusyCalendar'),
  }),
  FreeBusyCalendar: objectSchema({ busy: listSchema('TimePeriod'), errors: listSchema('Error') }),
  TimePeriod: objectSchema({ start: dateTimeSchema, end: dateTimeSchema }),
  Error: objectSchema({ domain: textSchema, reason: textSchema }),
  Channel: objectSchema({
    ...textProperties('kind', 'id', 'resourceId', 'resourceUri'),
    type: { ...textSchema, description: 'web_hook' },
    address: { ...textSchema, description: 'An https URL.' },
    token: textSchema,
    expiration: { ...textSchema, format: 'int64', description: 'Milliseconds since 1970.' },
    payload: { type: 'boolean', description: 'Has no effect.' },
    params: { type: 'object', additionalProperties: textSchema, description: 'ttl: seconds.' },
  }),
  Notification: objectSchema({
    ...textProperties('kind', 'id', 'etag', 'selfLink'),
    topic: { ...textSchema, description: 'As //pubsub.googleapis.com/projects/PROJECT/topics/TOPIC.' },
    event_types: { type: 'array', items: textSchema },
    ...textProperties('object_name_prefix', 'payload_format'),
    custom_attributes: { type: 'object', additionalProperties: textSchema },
  }),
  Notifications: objectSchema({ kind: textSchema, items: listSchema('Notification') }),
  Buckets: pageSchema('Bucket'),
  Objects: pageSchema('Object'),
  Object: objectSchema({ kind: textSchema, name: textSchema }),
};

/** Builds the schemas of the Calendar and Storage APIs from the tables of fields. */
export const createSchemas = (tables: Tables): Schemas => ({
  ...buildSchemas(tables.calendar, 'CalendarListEntry', listEntryDifferences),
  ...buildSchemas(tables.calendar, 'Calendar', calendarDifferences),
  ...buildSchemas(tables.event, 'Event', eventDifferences),
  ...buildSchemas(tables.bucket, 'Bucket', bucketDifferences),
  ...otherSchemas,
});
