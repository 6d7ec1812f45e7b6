import { compileTable, type FieldNode, type FieldTable } from '../../core/fields/table.ts';
import { type Fields, isFields, patch } from '../../core/json.ts';
import type { EventBody, EventField } from './fields.ts';
import type { EventParts } from './record.ts';

type PartName = keyof EventParts;

/** Event fields and the operations on the parts that store them, compiled once when the gateway starts. */
export interface EventModel {
  readonly fields: ReadonlyMap<EventField, FieldNode>;
  readonly field: (name: EventField) => FieldNode;
  /** Joins the parts to an event without copying: a field is looked up when it is read. */
  readonly joinParts: (parts: EventParts) => EventBody;
  /** Merges a change into the parts that store its fields; an unchanged part stays the same object. */
  readonly merge: (before: EventParts, change: Fields) => EventParts;
  /** Splits an event into its parts, without computed fields. */
  readonly split: (event: Fields) => EventParts;
}

const partNames = ['core', 'copy', 'viewer'] as const;

export function compileModel(table: FieldTable): EventModel {
  const fields = compileTable(table).fields as ReadonlyMap<EventField, FieldNode>;
  const placements = new Map([...fields].map(([name, node]) => [name, { node, parts: partsStoring(node) }]));
  const JoinedEvent = createEventClass(placements);

  function splitChange(change: Fields): Partial<Record<PartName, Record<string, unknown>>> {
    const changesByPart: Partial<Record<PartName, Record<string, unknown>>> = {};
    for (const name of Object.keys(change)) {
      const placement = placements.get(name as EventField);
      if (!placement) continue;
      for (const part of placement.parts) {
        const value = selectPart(placement.node, part, change[name]);
        if (value !== undefined) (changesByPart[part] ??= {})[name] = value;
      }
    }
    return changesByPart;
  }

  return {
    fields,
    field: (name) => fields.get(name) as FieldNode,
    joinParts: (parts) => new JoinedEvent(parts),
    merge(before, change) {
      const partChanges = splitChange(change);
      const mergePart = (part: PartName): EventBody =>
        partChanges[part] ? (patch<EventBody>(before[part], partChanges[part]) ?? {}) : before[part];
      return { core: mergePart('core'), copy: mergePart('copy'), viewer: mergePart('viewer') };
    },
    split: (event) => ({ core: {}, copy: {}, viewer: {}, ...splitChange(event) }),
  };
}

/** Parts that store a field or one of its subfields. */
function partsStoring(node: FieldNode): readonly PartName[] {
  const names = new Set<string>(
    node.kind === 'object' ? [...node.fields.values()].flatMap(partsStoring) : [node.storedIn],
  );
  return partNames.filter((part) => names.has(part));
}

/** Selects what one part stores of the value of a field; undefined for nothing. */
function selectPart(node: FieldNode, part: PartName, value: unknown): unknown {
  if (node.kind !== 'object') return node.storedIn === part ? value : undefined;
  if ([...node.fields.values()].every((field) => field.storedIn === part)) return value;
  if (value === null || !isFields(value)) return node.storedIn === part ? value : undefined;
  const partEntries = Object.keys(value).flatMap((name) => {
    const field = node.fields.get(name);
    const partValue = field && selectPart(field, part, value[name]);
    return partValue === undefined ? [] : [[name, partValue] as const];
  });
  return partEntries.length === 0 ? undefined : Object.fromEntries(partEntries);
}

/** Creates a class with a getter for each field, which reads the parts that store it. */
function createEventClass(
  placements: ReadonlyMap<EventField, { readonly parts: readonly PartName[] }>,
): new (parts: EventParts) => EventBody {
  class JoinedEvent {
    readonly parts: EventParts;
    constructor(parts: EventParts) {
      this.parts = parts;
    }
  }
  for (const [name, { parts }] of placements) {
    const [firstPart, ...otherParts] = parts;
    if (!firstPart) continue;
    const get =
      otherParts.length === 0
        ? function (this: JoinedEvent) {
            return this.parts[firstPart][name];
          }
        : function (this: JoinedEvent) {
            return mergeObjects(parts.map((part) => this.parts[part][name]));
          };
    Object.defineProperty(JoinedEvent.prototype, name, { get, enumerable: true });
  }
  // The compiler cannot see the getters that the loop defines.
  return JoinedEvent as new (parts: EventParts) => EventBody;
}

/** Merges the objects that several parts store of one field. */
function mergeObjects(values: readonly unknown[]): unknown {
  const objects = values.filter(isFields);
  return objects.length < 2 ? objects[0] : Object.assign({}, ...objects);
}
