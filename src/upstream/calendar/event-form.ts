import type { FieldSelection } from '../../core/fields/selection.ts';
import { nodeIdOf } from '../../core/kernel/node-id.ts';
import { isFields } from '../../core/kernel/patch.ts';
import type { EventModel } from '../../event/model/model.ts';
import type { EventView } from '../../event/view/event-view.ts';
import type { Level } from '../../event/view/viewpoint.ts';
import type { Schemas } from '../../official/schema.ts';
import { alone, formOf, readFields, selectedTexts, unionOf, type FormField } from '../form.ts';

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
  const levelOf = (json: object): Level => {
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
const levelOfField = ({ row: { timeOnly, whenGone } }: FormField): Level =>
  whenGone ? 'gone' : timeOnly ? 'time' : 'full';

const shownAt: Readonly<Record<Level, readonly Level[]>> = {
  full: ['full', 'time', 'gone'],
  time: ['time', 'gone'],
  gone: ['gone'],
};

/** What is there wherever as much of an event is shown: only then has an absent field its default. */
const witnesses: Readonly<Record<Level, string | undefined>> = {
  full: 'htmlLink',
  time: 'start',
  gone: undefined,
};
