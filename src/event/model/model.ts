import { compileTable, type FieldNode, type FieldTable } from '../../core/fields/table.ts';
import { isFields, patch } from '../../core/patch.ts';
import type { EventBody, EventField } from './fields.ts';
import type { EventParts } from './record.ts';

type PartName = keyof EventParts;
type Fields = Readonly<Record<string, unknown>>;

/** What is derived from the table once, when the gateway starts. */
export interface EventModel {
  readonly fields: ReadonlyMap<EventField, FieldNode>;
  readonly field: (name: EventField) => FieldNode;
  /** The event put together from its parts: nothing is copied, a field is looked up when it is read. */
  readonly whole: (parts: EventParts) => EventBody;
  /** Merges a change into the parts that keep its fields; a part that stays as it was is the same object. */
  readonly merge: (before: EventParts, change: Fields) => EventParts;
  /** Takes a whole event apart; what is worked out is dropped. */
  readonly split: (event: Fields) => EventParts;
}

const partNames = ['core', 'copy', 'viewer'] as const;

export function compileModel(table: FieldTable): EventModel {
  const fields = compileTable(table).fields as ReadonlyMap<EventField, FieldNode>;
  const placements = new Map([...fields].map(([name, node]) => [name, { node, parts: partsOf(node) }]));
  const Whole = wholeClass(placements);

  /** The parts of a change, each with the fields that it stores. */
  function parted(change: Fields): Partial<Record<PartName, Record<string, unknown>>> {
    const result: Partial<Record<PartName, Record<string, unknown>>> = {};
    for (const name of Object.keys(change)) {
      const placement = placements.get(name as EventField);
      if (!placement) continue;
      for (const part of placement.parts) {
        const value = only(placement.node, part, change[name]);
        if (value !== undefined) (result[part] ??= {})[name] = value;
      }
    }
    return result;
  }

  return {
    fields,
    field: (name) => fields.get(name) as FieldNode,
    whole: (parts) => new Whole(parts),
    merge(before, change) {
      const parts = parted(change);
      const merged = (part: PartName): EventBody =>
        parts[part] ? (patch<EventBody>(before[part], parts[part]) ?? {}) : before[part];
      return { core: merged('core'), copy: merged('copy'), viewer: merged('viewer') };
    },
    split: (event) => ({ core: {}, copy: {}, viewer: {}, ...parted(event) }),
  };
}

/** The parts that keep a field or something in it. */
function partsOf(node: FieldNode): readonly PartName[] {
  const found = new Set<string>(
    node.kind === 'object' ? [...node.fields.values()].flatMap(partsOf) : [node.storedIn],
  );
  return partNames.filter((part) => found.has(part));
}

/** The share of a value that one part stores. */
function only(node: FieldNode, part: PartName, value: unknown): unknown {
  if (node.kind !== 'object') return node.storedIn === part ? value : undefined;
  if ([...node.fields.values()].every((field) => field.storedIn === part)) return value;
  if (value === null || !isFields(value)) return node.storedIn === part ? value : undefined;
  const stored = Object.keys(value).flatMap((name) => {
    const field = node.fields.get(name);
    const inner = field && only(field, part, value[name]);
    return inner === undefined ? [] : [[name, inner] as const];
  });
  return stored.length === 0 ? undefined : Object.fromEntries(stored);
}

/** A class whose fields are read from the parts that keep them. */
function wholeClass(
  placements: ReadonlyMap<EventField, { readonly parts: readonly PartName[] }>,
): new (parts: EventParts) => EventBody {
  class Whole {
    readonly parts: EventParts;
    constructor(parts: EventParts) {
      this.parts = parts;
    }
  }
  for (const [
    name,
    {
      parts: [first, ...others],
    },
  ] of placements) {
    if (!first) continue;
    const get =
      others.length === 0
        ? function (this: Whole) {
            return this.parts[first][name];
          }
        : function (this: Whole) {
            return union([first, ...others].map((part) => this.parts[part][name]));
          };
    Object.defineProperty(Whole.prototype, name, { get, enumerable: true });
  }
  // What the loop defines is beyond the compiler.
  return Whole as new (parts: EventParts) => EventBody;
}

/** Objects that hold different fields of the same one, as that one. */
function union(values: readonly unknown[]): unknown {
  const held = values.filter(isFields);
  return held.length < 2 ? held[0] : Object.assign({}, ...held);
}
