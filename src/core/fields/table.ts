import * as z from 'zod/mini';
import type { ZodMiniType } from 'zod/mini';
import type { Reason } from '../errors.ts';
import { integer } from './values.ts';

/**
 * Who may change a field.
 * - readOnly: set by the server; values of clients are ignored, with a warning when they differ.
 * - immutable: set on creation; later the same value passes, and another one is an issue.
 * - once: a field of a list entry, set when the entry is added; later values are ignored, with a warning when they differ.
 * - request: an option of one request, not stored.
 * - shared, organizer, creator, copy, caller, own: stored; the resource decides whether a caller may change it.
 */
export type ChangeClass =
  | 'readOnly'
  | 'immutable'
  | 'once'
  | 'request'
  | 'shared'
  | 'organizer'
  | 'creator'
  | 'copy'
  | 'caller'
  | 'own';

/** The properties of a field. `change` and `storedIn` are inherited from the field that contains it. */
export interface FieldRow<Part extends string = string> {
  readonly change?: ChangeClass;
  /** The part of the record that stores it; `computed` is worked out for each reader and never stored. */
  readonly storedIn?: Part | 'computed';
  /** The meaning of an absent value: the default is stored as absent, and added to what is returned. */
  readonly default?: string | number | boolean;
  /** May not change while the record is locked. */
  readonly locked?: true;
  /** Visible with access to free and busy times only. */
  readonly timeOnly?: true;
  /** Remains visible on a deleted record. */
  readonly whenGone?: true;
  /** Schema of a value, or of one entry of a list or map. Absent for objects. */
  readonly value?: ZodMiniType;
  /** Schema of the names in a map. */
  readonly entryName?: ZodMiniType;
  /** Maximum of entries in a list or map, and their name in messages. `stored`: the maximum with entries hidden from the caller. */
  readonly max?: {
    readonly entries: number;
    readonly called: string;
    readonly reason?: Reason;
    /** Absent: to leave some out. */
    readonly remedy?: string;
    readonly stored?: number;
  };
  /** Identifies an entry when its list is replaced; entries without a key are new. */
  readonly key?: (entry: Readonly<Record<string, unknown>>) => string | undefined;
  /** A point in time: values of the same instant are equal, however they are written. */
  readonly instant?: true;
  /** Required in every entry of its list. */
  readonly needed?: true;
  /** The only viewers of the field, by a name of the resource; absent: all who see the record. */
  readonly seenBy?: string;
  /** The normalizer of the resource, by name, for a field that means more than its value. */
  readonly normalize?: string;
  /** A change of the field raises the revision of the resource. */
  readonly revises?: true;
}

/** One row for each field, containers included. Fields of list entries are written `attendees[].email`, map entries `preferences.*`. */
export type FieldTable<Part extends string = string> = Readonly<Record<string, FieldRow<Part>>>;

/** A row in the tree of fields, with its inherited properties. */
export interface FieldNode extends Omit<FieldRow, 'change' | 'storedIn'> {
  readonly name: string;
  readonly kind: 'leaf' | 'object' | 'list' | 'map';
  readonly change: ChangeClass;
  readonly storedIn: string;
  /** The fields of an object, or of a list's entries. */
  readonly fields: ReadonlyMap<string, FieldNode>;
  /** The entries of a map. */
  readonly entry?: FieldNode;
  /** All fields inside have the same change class. */
  readonly uniform: boolean;
}

/** Builds the tree of fields. Throws for a row without a parent, a change class or storage. */
export function compileTable(table: FieldTable): FieldNode {
  const inside = new Map<string, string[]>();
  for (const path of Object.keys(table)) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    if (parent !== '' && !Object.hasOwn(table, parent)) throw new Error(`the field ${path} has no parent`);
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
    return {
      ...row,
      name: name.replace('[]', ''),
      kind,
      change,
      storedIn,
      fields,
      uniform,
      ...(entry && { entry }),
    };
  };
  const top = (inside.get('') ?? []).map((path) => build(path, undefined));
  return {
    name: '',
    kind: 'object',
    change: 'shared',
    storedIn: '',
    uniform: false,
    fields: new Map(top.map((node) => [node.name, node])),
  };
}

type Names<T, P extends string> = keyof T extends infer K
  ? K extends `${P}${infer Rest}`
    ? Rest extends `${string}.${string}`
      ? never
      : Rest
    : never
  : never;

type Of<T, K extends string> = K extends keyof T
  ? T[K] extends { readonly value: ZodMiniType<infer V> }
    ? K extends `${string}[]`
      ? readonly V[]
      : V
    : `${K}.*` extends keyof T
      ? Readonly<Record<string, string>>
      : K extends `${string}[]`
        ? readonly Body<T, `${K}.`>[]
        : Body<T, `${K}.`>
  : never;

/** The type of a stored body: unset fields are absent, never null. */
export type Body<T, P extends string = ''> = {
  readonly [N in Names<T, P> as N extends '*' ? never : N extends `${infer Bare}[]` ? Bare : N]?: Of<
    T,
    `${P}${N}`
  >;
};

/** The type of a patch: an absent field stays, null clears, null in a map removes the entry. */
export type Nullable<T> = T extends readonly (infer E)[]
  ? readonly Nullable<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Nullable<NonNullable<T[K]>> | null }
    : T;

/** The part of a value that a client asks for: the whole, or some fields, in which `*` stands for every name. */
export interface FieldSelection {
  readonly whole: boolean;
  readonly fields: ReadonlyMap<string, FieldSelection>;
}

/** Works out which part of an operation's value a request selects; absent: the whole. */
export type Selected = () => FieldSelection;

/** `sms` is no longer offered: a new one is ignored with a warning (event resource, section 2). */
const reminderMethods = ['email', 'sms', 'popup'] as const;
/** The most reminders of one user on an event, and of a calendar: five. */
export const mostReminders = 5;
/** Minutes before the start: up to four weeks. */
const reminderMinutes = integer(0, 40_320);

/** The fields of a reminder. */
export const reminderFields = {
  method: { needed: true, value: z.enum(reminderMethods) },
  minutes: { needed: true, value: reminderMinutes },
} as const satisfies Readonly<Record<string, FieldRow>>;
