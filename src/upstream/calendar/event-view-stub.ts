import type { Viewer } from '../../access/permissions.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import type { Selected } from '../../core/fields/selection.ts';
import { isFields } from '../../core/kernel/patch.ts';
import { nodeIdOf } from '../../core/kernel/node-id.ts';
import type { EventView } from '../../event/view/event-view.ts';
import { BodyReader } from '../../official/read.ts';
import type { EventParts, Json } from './parts.ts';
import { calendarOf } from './read-event.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An event of the service, with the defaults that it leaves out. */
export function viewFrom(json: Json, calendarId: string, viewer: Viewer, { model, schemas }: Pick<EventParts, 'model' | 'schemas'>): EventView {
  const event = new BodyReader(schemas, false).read({ $ref: 'Event' }, json, { official: [], field: [] }) as Fields;
  return { ...whole(model.fields, event), nodeId: nodeIdOf('event', calendarOf(calendarId, viewer), event.id) } as EventView;
}

function whole(fields: ReadonlyMap<string, FieldNode>, value: Fields): Fields {
  return Object.fromEntries([...fields].flatMap(([name, node]): [string, unknown][] => {
    const found = filled(node, value[name]) ?? node.default;
    return found === undefined ? [] : [[name, found]];
  }));
}

function filled(node: FieldNode, value: unknown): unknown {
  if (Array.isArray(value)) return node.fields.size === 0 ? value : value.map((entry: unknown) => whole(node.fields, entry as Fields));
  return isFields(value) && node.kind === 'object' ? whole(node.fields, value) : value;
}

/** The `fields` of a call whose answer is to hold what is selected and some more. */
export const fieldsOf = (_selected: Selected | undefined, _more: readonly string[]): string | undefined => undefined;
