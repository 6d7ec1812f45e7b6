import type { ZodMiniType } from 'zod/mini';
import type { Reason } from '../kernel/errors.ts';

/**
 * Who may change a field.
 * - readOnly: the server sets it; what a client sends is ignored, with a warning when it differs.
 * - immutable: settled when the resource is made; the same value passes, another is an issue.
 * - once: a list entry's field, settled when the entry is added; ignored later, with a warning when it differs.
 * - request: steers this one request and is not stored.
 * - shared, organizer, creator, copy, caller, own: stored; whether the caller may change it is for the resource to say.
 */
export type ChangeClass =
  | 'readOnly' | 'immutable' | 'once' | 'request' | 'shared' | 'organizer' | 'creator' | 'copy' | 'caller' | 'own';

/** All there is to know of one field. What a row leaves out is as in the field it lies in. */
export interface FieldRow<Part extends string = string> {
  readonly change?: ChangeClass;
  /** The part of the record that stores it; `computed` is worked out for each reader and never stored. */
  readonly storedIn?: Part | 'computed';
  /** What an absent value means. It is stored as absent and filled in on the way out. */
  readonly default?: string | number | boolean;
  /** Covered by a lock on the record. */
  readonly locked?: true;
  /** Seen by those who may know when something is, but not what. */
  readonly timeOnly?: true;
  /** Left of a record that is gone. */
  readonly whenGone?: true;
  /** What one value may be; of a list or a map, one entry. Absent for objects. */
  readonly value?: ZodMiniType;
  /** What the name of a map's entry may be. */
  readonly entryName?: ZodMiniType;
  /** How many entries a list or a map holds at the most, and what they are called; `stored`: with those that the caller does not see. */
  readonly max?: { readonly entries: number; readonly called: string; readonly reason?: Reason; readonly stored?: number };
  /** By what an entry of a list is recognised when the list is replaced; without a key it is a new one. */
  readonly key?: (entry: Readonly<Record<string, unknown>>) => string | undefined;
  /** An instant: another spelling of it is the same value. */
  readonly instant?: true;
  /** A list entry cannot do without it. */
  readonly needed?: true;
  /** Whom it is shown to alone, in the resource's words; absent: whoever sees the rest. */
  readonly seenBy?: string;
  /** It means more than its value: by what the resource normalizes it. */
  readonly normalize?: string;
  /** A change of it is a new revision of the resource. */
  readonly revises?: true;
}

/** One row a field, containers included: list entries are written `attendees[].email`, map entries `preferences.*`. */
export type FieldTable<Part extends string = string> = Readonly<Record<string, FieldRow<Part>>>;

/** A row in its place, with what it takes from the field it lies in. */
export interface FieldNode extends Omit<FieldRow, 'change' | 'storedIn'> {
  readonly name: string;
  readonly kind: 'leaf' | 'object' | 'list' | 'map';
  readonly change: ChangeClass;
  readonly storedIn: string;
  /** Of an object its fields, of a list those of its entries. */
  readonly fields: ReadonlyMap<string, FieldNode>;
  /** Of a map, its entries. */
  readonly entry?: FieldNode;
  /** Everything inside has the same class, so that the field can be taken as a whole. */
  readonly uniform: boolean;
}

/** The rows as a tree, to be walked without looking up paths. Throws for a row that has no parent or no class. */
export function compileTable(table: FieldTable): FieldNode {
  const inside = new Map<string, string[]>();
  for (const path of Object.keys(table)) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    if (parent !== '' && !Object.hasOwn(table, parent)) throw new Error(`the field ${path} lies in none`);
    inside.set(parent, [...(inside.get(parent) ?? []), path]);
  }
  const build = (path: string, above: Pick<FieldNode, 'change' | 'storedIn'> | undefined): FieldNode => {
    const row = table[path] as FieldRow;
    const change = row.change ?? above?.change;
    const storedIn = row.storedIn ?? above?.storedIn;
    if (!change || !storedIn) throw new Error(`the field ${path} has no change class or no storage`);
    const nodes = (inside.get(path) ?? []).map((child) => build(child, { change, storedIn }));
    const entry = nodes.find(({ name }) => name === '*');
    const fields = new Map(nodes.filter((node) => node !== entry).map((node) => [node.name, node]));
    const name = path.slice(path.lastIndexOf('.') + 1);
    const kind = name.endsWith('[]') ? 'list' : entry ? 'map' : fields.size > 0 ? 'object' : 'leaf';
    const uniform = nodes.every((node) => node.uniform && node.change === change);
    return { ...row, name: name.replace('[]', ''), kind, change, storedIn, fields, uniform, ...(entry && { entry }) };
  };
  const top = (inside.get('') ?? []).map((path) => build(path, undefined));
  return {
    name: '', kind: 'object', change: 'shared', storedIn: '', uniform: false,
    fields: new Map(top.map((node) => [node.name, node])),
  };
}

type Names<T, P extends string> = keyof T extends infer K
  ? K extends `${P}${infer Rest}` ? (Rest extends `${string}.${string}` ? never : Rest) : never
  : never;

type Of<T, K extends string> = K extends keyof T
  ? T[K] extends { readonly value: ZodMiniType<infer V> }
    ? K extends `${string}[]` ? readonly V[] : V
    : `${K}.*` extends keyof T
      ? Readonly<Record<string, string>>
      : K extends `${string}[]` ? readonly Body<T, `${K}.`>[] : Body<T, `${K}.`>
  : never;

/** The type of a stored body that a table describes: a field that is not set is absent, never null. */
export type Body<T, P extends string = ''> = {
  readonly [N in Names<T, P> as N extends '*' ? never : N extends `${infer Bare}[]` ? Bare : N]?: Of<T, `${P}${N}`>;
};

/** What a client sends: an absent field is kept, null clears, and a map's null removes its entry. */
export type Nullable<T> = T extends readonly (infer E)[]
  ? readonly Nullable<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Nullable<NonNullable<T[K]>> | null }
    : T;
