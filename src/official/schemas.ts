import type { FieldNode } from '../core/fields/table.ts';
import type { Property, Schema, Schemas } from './schema.ts';
import { schemasFrom, type Differences } from './from-table.ts';
import { officialNames } from './names.ts';

/** The tables of fields of the resources. */
export interface Tables {
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
