import type { Warning } from '../../core/errors.ts';
import { removeReadOnly } from '../../core/fields/reduce-change.ts';
import type { FieldSelection } from '../../core/fields/table.ts';
import { canonicalJson, isFields } from '../../core/json.ts';
import { nodeIdOf } from '../../core/ids.ts';
import type { SupportArgs } from '../../event/event.requests.ts';
import type { EventField, EventPatch } from '../../event/model/fields.ts';
import type { EventModel } from '../../event/model/model.ts';
import type { Visibility } from '../../event/visibility/event-context.ts';
import type { EventView } from '../../event/visibility/event-view.ts';
import type { Schemas } from '../../google/schemas.ts';
import {
  selectField,
  type FieldMapping,
  createFieldMappings,
  formatFields,
  readFields,
  mergeSelections,
} from '../field-mappings.ts';

/** Converts events of the official API, and selections to its parameter `fields`. */
export function createEventConverter(model: EventModel, schemas: Schemas) {
  const mappings = createFieldMappings(model.fields, schemas, schemas.Event ?? {});
  const detailMappings = mappings.filter((field) => requiredVisibility(field) === 'full');

  /** Infers from a response how much of the event the service shows. */
  const inferVisibility = (json: object): Visibility => {
    if (detailMappings.some(({ officialName }) => Object.hasOwn(json, officialName))) return 'full';
    return Object.hasOwn(json, 'start') || Object.hasOwn(json, 'end') ? 'freeBusy' : 'none';
  };

  return {
    /** Reads an event as the gateway's own store would show it; undefined if invalid. `calendarId`: canonical, never `primary`. */
    viewOf(json: unknown, calendarId: string): EventView | undefined {
      if (!isFields(json) || typeof json.id !== 'string') return undefined;
      const shownVisibilities = visibilities.slice(0, visibilities.indexOf(inferVisibility(json)) + 1);
      const fields = readFields(mappings, json, (field) =>
        shownVisibilities.includes(requiredVisibility(field)),
      );
      return { id: json.id, nodeId: nodeIdOf('event', calendarId, json.id), ...fields };
    },
    /** Entries of the parameter `fields` for a selection and `extraFields`; undefined for all fields. */
    formatFields(
      this: void,
      requestedSelection: FieldSelection | undefined,
      extraFields: readonly string[] = [],
    ): readonly string[] | undefined {
      const selection = mergeSelections([requestedSelection, ...extraFields.map(selectField)]);
      const markerNames = mappings
        .filter(({ node, isOptional }) => isOptional && selection?.fields.has(node.name))
        .flatMap((field) => visibilityMarkers[requiredVisibility(field)] ?? []);
      return formatFields(mappings, selection, ['id', ...markerNames]);
    },
  };
}

/** Returns the least visibility of an event at which a field is shown. */
const requiredVisibility = ({ node: { timeOnly, shownWhenCancelled } }: FieldMapping): Visibility =>
  shownWhenCancelled ? 'none' : timeOnly ? 'freeBusy' : 'full';

/** Visibilities, each of which shows the fields of those before it. */
const visibilities: readonly Visibility[] = ['none', 'freeBusy', 'full'];

/** Field present at each visibility. Without it, a missing field is hidden rather than at its default. */
const visibilityMarkers: Readonly<Record<Visibility, string | undefined>> = {
  full: 'htmlLink',
  freeBusy: 'start',
  none: undefined,
};

/** Removes read-only fields from a body, and fields that the request excludes, such as conferences by `conferenceDataVersion`. */
export function toSendableBody(
  model: EventModel,
  body: EventPatch,
  support: SupportArgs,
  isInsert: boolean,
): EventPatch {
  const excludedNames = new Set<string>([
    ...(support.conferenceDataVersion === 1 ? [] : ['conferenceData']),
    ...(support.supportsAttachments ? [] : ['attachments']),
    // The id of an existing event is in the path; a new guest list is always complete.
    isInsert ? 'attendeesOmitted' : 'id',
  ]);
  return Object.fromEntries(
    (Object.keys(body) as EventField[]).flatMap((name) => {
      const node = model.fields.get(name);
      const value =
        !node || excludedNames.has(name) ? undefined : removeReadOnly(node, body[name], [name], []);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Removes the reminders that the gateway's rules ignored with a warning. */
export function removeIgnoredReminders(body: EventPatch, warnings: readonly Warning[]): EventPatch {
  const { reminders } = body;
  if (!isFields(reminders) || !reminders.overrides) return body;
  const ignoredIndexes = new Set(
    warnings.flatMap(({ path: [, name, list, index] }) =>
      name === 'reminders' && list === 'overrides' ? [index] : [],
    ),
  );
  return {
    ...body,
    reminders: {
      ...reminders,
      overrides: reminders.overrides.filter((_entry, index) => !ignoredIndexes.has(index)),
    },
  };
}

/** Whether two values mean the same despite different spelling of texts and recurrence lines, or order of lists. */
export const isEquivalent = (first: unknown, second: unknown): boolean =>
  canonicalJson(toCanonicalValue(first)) === canonicalJson(toCanonicalValue(second));

/** Reduces a value to what `isEquivalent` compares. */
function toCanonicalValue(value: unknown): unknown {
  if (typeof value === 'string') return toCanonicalText(value);
  if (Array.isArray(value))
    return value.length === 0 ? null : [...new Set(value.map(toCanonicalEntry))].sort();
  return value ?? null;
}

/** Reduces a text to letters and digits, unless it has none; null for an empty text. */
function toCanonicalText(text: string): string | null {
  const lettersAndDigits = text
    .normalize('NFKC')
    .replaceAll(/<[^>]*>|&#?\w+;/g, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
  return (lettersAndDigits === '' ? text.trim() : lettersAndDigits) || null;
}

function toCanonicalEntry(entry: unknown): string {
  if (typeof entry === 'string') return toCanonicalLine(entry);
  // The URL identifies an attachment, since the service may set another title.
  return isFields(entry) && typeof entry.fileUrl === 'string' ? entry.fileUrl : canonicalJson(entry);
}

/** Normalizes a recurrence line: sorted rule parts without defaults, or the days of dates. */
function toCanonicalLine(line: string): string {
  const [, name = '', lineRest = ''] = /^([^;:]*)(.*)$/s.exec(line.toUpperCase().trim()) ?? [];
  const sortDays = (text: string): string => (text.match(/\d{8}/g) ?? []).sort().join();
  if (!name.endsWith('RULE')) return `${name}:${sortDays(lineRest)}`;
  const ruleParts = lineRest
    .replace(/^.*:/s, '')
    .split(';')
    .filter((part) => part !== '' && part !== 'INTERVAL=1' && !part.startsWith('WKST='));
  return `${name}:${ruleParts
    .map((part) => (part.startsWith('UNTIL=') ? `UNTIL=${sortDays(part)}` : part.split(/[=,]/).sort().join()))
    .sort()
    .join(';')}`;
}
