import type { Warning } from '../../core/errors.ts';
import { withoutReadOnly } from '../../core/fields/changes.ts';
import type { FieldSelection } from '../../core/fields/table.ts';
import { canonicalJson } from '../../core/json.ts';
import { nodeIdOf } from '../../core/node-id.ts';
import { isFields } from '../../core/patch.ts';
import type { Support } from '../../event/event.requests.ts';
import type { EventField, EventPatch } from '../../event/model/fields.ts';
import type { EventModel } from '../../event/model/model.ts';
import type { Visibility } from '../../event/visibility/event-context.ts';
import type { EventView } from '../../event/visibility/event-view.ts';
import type { Schemas } from '../../google/schemas.ts';
import { alone, type FormField, formOf, readFields, selectedTexts, unionOf } from '../form.ts';

/** Events in the form that the official API gives them. */
export interface EventForm {
  /** An event as the own store would show it. Undefined for what is no event. `calendarId`: never `primary`. */
  viewOf(json: unknown, calendarId: string): EventView | undefined;
  /** What has to be asked for to show a selection and some more fields, in the words of the parameter `fields`; undefined for the whole. */
  fieldsOf(selection: FieldSelection | undefined, more?: readonly string[]): readonly string[] | undefined;
}

export function createEventForm(model: EventModel, schemas: Schemas): EventForm {
  const form = formOf(model.fields, schemas, schemas.Event ?? {});
  const full = form.filter((field) => levelOfField(field) === 'full').map(({ official }) => official);

  /** How much of an event the service shows, told by what it sends. */
  const levelOf = (json: object): Visibility => {
    if (full.some((name) => Object.hasOwn(json, name))) return 'full';
    return Object.hasOwn(json, 'start') || Object.hasOwn(json, 'end') ? 'time' : 'gone';
  };

  return {
    viewOf(json, calendarId) {
      if (!isFields(json) || typeof json.id !== 'string') return undefined;
      const level = levelOf(json);
      const fields = readFields(form, json, (field) => shownAt[level].includes(levelOfField(field)));
      return { id: json.id, nodeId: nodeIdOf('event', calendarId, json.id), ...fields };
    },
    fieldsOf(selected, more = []) {
      const selection = unionOf([selected, ...more.map(alone)]);
      if (!selection) return undefined;
      const needed = form
        .filter(({ row, mayLack }) => mayLack && selection.fields.has(row.name))
        .map((field) => witnesses[levelOfField(field)]);
      return [
        ...new Set(['id', ...needed.filter((name) => name !== undefined), ...selectedTexts(form, selection)]),
      ];
    },
  };
}

/** The least that is shown of an event with a field. */
const levelOfField = ({ row: { timeOnly, whenGone } }: FormField): Visibility =>
  whenGone ? 'gone' : timeOnly ? 'time' : 'full';

const shownAt: Readonly<Record<Visibility, readonly Visibility[]>> = {
  full: ['full', 'time', 'gone'],
  time: ['time', 'gone'],
  gone: ['gone'],
};

/** What is there wherever as much of an event is shown: only then has an absent field its default. */
const witnesses: Readonly<Record<Visibility, string | undefined>> = {
  full: 'htmlLink',
  time: 'start',
  gone: undefined,
};

/** The part of a body that is sent to the service: no fields that only a server sets, and none that the request says not to apply. */
export function sendable(
  model: EventModel,
  body: EventPatch,
  support: Support,
  creating: boolean,
): EventPatch {
  const left = new Set<string>([
    ...(support.conferenceDataVersion === 1 ? [] : ['conferenceData']),
    ...(support.supportsAttachments ? [] : ['attachments']),
    // The id of an event that is changed is in the path, and a new guest list is complete.
    creating ? 'attendeesOmitted' : 'id',
  ]);
  return Object.fromEntries(
    (Object.keys(body) as EventField[]).flatMap((name) => {
      const node = model.fields.get(name);
      const value = !node || left.has(name) ? undefined : withoutReadOnly(node, body[name], [name], []);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Without the reminders that a warning says are ignored. */
export function withoutIgnored(body: EventPatch, warnings: readonly Warning[]): EventPatch {
  const { reminders } = body;
  if (!isFields(reminders) || !reminders.overrides) return body;
  const ignored = new Set(
    warnings.flatMap(({ path: [, name, list, index] }) =>
      name === 'reminders' && list === 'overrides' ? [index] : [],
    ),
  );
  return {
    ...body,
    reminders: {
      ...reminders,
      overrides: reminders.overrides.filter((_entry, index) => !ignored.has(index)),
    },
  };
}

/** Whether two values of a field say the same, although a service spells them otherwise: texts, rules of recurrence, lists in any order. */
export const isEquivalent = (one: unknown, other: unknown): boolean =>
  canonicalJson(meaningOf(one)) === canonicalJson(meaningOf(other));

function meaningOf(value: unknown): unknown {
  if (typeof value === 'string') return textOf(value);
  if (Array.isArray(value)) return value.length === 0 ? null : [...new Set(value.map(entryOf))].sort();
  return value ?? null;
}

/** Without markup, punctuation and blanks, where there is anything else. */
function textOf(text: string): string | null {
  const words = text
    .normalize('NFKC')
    .replaceAll(/<[^>]*>|&#?\w+;/g, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
  return (words === '' ? text.trim() : words) || null;
}

function entryOf(entry: unknown): string {
  if (typeof entry === 'string') return lineOf(entry);
  // The URL identifies a file: the service may know another title.
  return isFields(entry) && typeof entry.fileUrl === 'string' ? entry.fileUrl : canonicalJson(entry);
}

/** A line of a recurrence: the parts of a rule in any order, without those that are as usual; of dates the days. */
function lineOf(line: string): string {
  const [, name = '', rest = ''] = /^([^;:]*)(.*)$/s.exec(line.toUpperCase().trim()) ?? [];
  const days = (text: string): string => (text.match(/\d{8}/g) ?? []).sort().join();
  if (!name.endsWith('RULE')) return `${name}:${days(rest)}`;
  const parts = rest
    .replace(/^.*:/s, '')
    .split(';')
    .filter((part) => part !== '' && part !== 'INTERVAL=1' && !part.startsWith('WKST='));
  return `${name}:${parts
    .map((part) => (part.startsWith('UNTIL=') ? `UNTIL=${days(part)}` : part.split(/[=,]/).sort().join()))
    .sort()
    .join(';')}`;
}
