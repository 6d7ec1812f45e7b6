import * as z from 'zod/mini';
import type { Reason } from '../errors.ts';
import { countCharacters, isLonger } from '../text/characters.ts';
import { emailProblem, isEmail } from '../text/email.ts';

/** Reason of a zod refinement, and the values named in its message. */
export interface RefinementParams {
  readonly reason?: string;
  readonly params?: Readonly<Record<string, string | number>>;
}

/** Maximum characters of values by schema, which zod does not reveal. */
const maxLengthBySchema = new WeakMap<z.ZodMiniType, number>();

/** Returns the limit of characters in a value; Infinity if there is none. */
export const maxLengthOf = (schema: z.ZodMiniType | undefined): number =>
  (schema && maxLengthBySchema.get(schema)) ?? Infinity;

function withMaxLength<S extends z.ZodMiniType>(schema: S, max: number): S {
  maxLengthBySchema.set(schema, max);
  return schema;
}

/** Schema of a string of at most `max` characters (Unicode code points). */
export const text = (max: number) =>
  withMaxLength(
    z.string().check(
      z.refine((value) => !isLonger(value, max), {
        error: ({ input }) => {
          const actual = countCharacters(input as string);
          return `This has ${actual} characters; at most ${max} are allowed. Shorten it.`;
        },
        params: { reason: 'tooLong', max },
      }),
      z.describe(`at most ${max} characters`),
    ),
    max,
  );

export const flag = z.boolean();

export const email = z.string().check(
  z.refine(isEmail, {
    error: ({ input }) => emailProblem(String(input)),
    params: { reason: 'invalid' },
  }),
  z.describe('an address as in RFC 5322, at most 254 octets'),
);

export const integer = (min: number, max: number) =>
  z.number().check(
    z.refine((value) => Number.isInteger(value) && value >= min && value <= max, {
      error: `This must be a whole number from ${min} to ${max}.`,
      params: { reason: 'invalid', params: { min, max } },
    }),
    z.describe(`${min} to ${max}`),
  );

/** Largest value of GraphQL's `Int`. */
export const maxInt32 = 2_147_483_647;

/** Outer white space and control characters: the URL parser drops them, but they would stay in the stored string. */
const droppedByUrlParserPattern = /^\s|\s$|\p{Cc}/u;

/** Schema of an absolute URL with one of these schemes, of at most `max` characters. */
export const url = (schemes: readonly string[], max: number) =>
  withMaxLength(
    text(max).check(
      z.refine((value) => hasScheme(value, schemes), {
        error: `This must be an absolute URL that starts with ${schemes.join(': or ')}:.`,
        params: { reason: 'invalid' },
      }),
      z.describe(`${schemes.join(': or ')}:, at most ${max} characters`),
    ),
    max,
  );

function hasScheme(value: string, schemes: readonly string[]): boolean {
  if (droppedByUrlParserPattern.test(value) || !URL.canParse(value)) return false;
  return schemes.includes(new URL(value).protocol.slice(0, -1));
}

/** Description of a schema's values, for documentation; '' if it has none. */
export const descriptionOf = (schema: z.ZodMiniType): string =>
  z.globalRegistry.get(schema)?.description ?? '';

/**
 * Permission to change a field.
 * - readOnly: set by the server; client values are ignored, with a warning if they differ.
 * - immutable: set on creation; afterwards a different value is an issue.
 * - once: set when a list entry is added; later values are ignored, with a warning if they differ.
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

/** Properties of a field. `change` and `storedIn` are inherited from the containing field. */
export interface FieldRow<Part extends string = string> {
  readonly change?: ChangeClass;
  /** Part of the record that stores the field; `computed` fields are derived per reader and never stored. */
  readonly storedIn?: Part | 'computed';
  /** Default value: stored as absent, and added when the resource is returned. */
  readonly default?: string | number | boolean;
  /** May not change while the record is locked. */
  readonly locked?: true;
  /** Visible with access to free and busy times only. */
  readonly timeOnly?: true;
  /** Remains visible on a cancelled record. */
  readonly shownWhenCancelled?: true;
  /** Schema of a value, or of one entry of a list or map. Absent for objects. */
  readonly value?: z.ZodMiniType;
  /** Schema of a map entry's name. */
  readonly entryName?: z.ZodMiniType;
  /** Limit of the entries of a list or map. */
  readonly max?: {
    readonly entries: number;
    /** Plural noun of the entries, for messages. */
    readonly label: string;
    readonly reason?: Reason;
    /** Sentence for the client; absent: "Leave some out." */
    readonly remedy?: string;
    /** Limit that includes entries hidden from the caller. */
    readonly stored?: number;
  };
  /** Matches entries of a replaced list with stored ones. Entries without a key are new. */
  readonly key?: (entry: Readonly<Record<string, unknown>>) => string | undefined;
  /** True for a point in time: different spellings of the same instant are equal. */
  readonly isInstant?: true;
  /** Required in every entry of its list. */
  readonly isRequired?: true;
  /** Name of a viewer group of the resource; absent: everyone who sees the record. */
  readonly audience?: string;
  /** Name of a normalizer of the resource, for a field whose change affects other fields. */
  readonly normalize?: string;
  /** True if a change of the field raises the sequence number of the resource. */
  readonly raisesSequence?: true;
}

/** Rows by field path, containers included. List entries are written `attendees[].email`, map entries `preferences.*`. */
export type FieldTable<Part extends string = string> = Readonly<Record<string, FieldRow<Part>>>;

/** Field in the tree of a table, with inherited properties. */
export interface FieldNode extends Omit<FieldRow, 'change' | 'storedIn'> {
  readonly name: string;
  readonly kind: 'leaf' | 'object' | 'list' | 'map';
  readonly change: ChangeClass;
  readonly storedIn: string;
  /** The fields of an object, or of a list's entries. */
  readonly fields: ReadonlyMap<string, FieldNode>;
  /** Node of a map's entries. */
  readonly entry?: FieldNode;
  /** True if all nested fields have the same change class. */
  readonly isUniform: boolean;
}

/** Builds the tree of fields. Throws for a row without a parent, a change class or storage. */
export function compileTable(table: FieldTable): FieldNode {
  const childPaths = new Map<string, string[]>();
  for (const path of Object.keys(table)) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    if (parent !== '' && !Object.hasOwn(table, parent)) throw new Error(`the field ${path} has no parent`);
    childPaths.set(parent, [...(childPaths.get(parent) ?? []), path]);
  }
  const buildNode = (path: string, parent: Pick<FieldNode, 'change' | 'storedIn'> | undefined): FieldNode => {
    const row = table[path] as FieldRow;
    const change = row.change ?? parent?.change;
    const storedIn = row.storedIn ?? parent?.storedIn;
    if (!change || !storedIn) throw new Error(`the field ${path} has no change class or no storage`);
    const childNodes = (childPaths.get(path) ?? []).map((child) => buildNode(child, { change, storedIn }));
    const entry = childNodes.find(({ name }) => name === '*');
    const fields = new Map(childNodes.filter((node) => node !== entry).map((node) => [node.name, node]));
    const name = path.slice(path.lastIndexOf('.') + 1);
    const kind = name.endsWith('[]') ? 'list' : entry ? 'map' : fields.size > 0 ? 'object' : 'leaf';
    const isUniform = childNodes.every((node) => node.isUniform && node.change === change);
    return {
      ...row,
      name: name.replace('[]', ''),
      kind,
      change,
      storedIn,
      fields,
      isUniform,
      ...(entry && { entry }),
    };
  };
  const rootFields = (childPaths.get('') ?? []).map((path) => buildNode(path, undefined));
  return {
    name: '',
    kind: 'object',
    change: 'shared',
    storedIn: '',
    isUniform: false,
    fields: new Map(rootFields.map((node) => [node.name, node])),
  };
}

/** Names of the rows directly below a path prefix. */
type FieldNames<T, Prefix extends string> = keyof T extends infer K
  ? K extends `${Prefix}${infer Rest}`
    ? Rest extends `${string}.${string}`
      ? never
      : Rest
    : never
  : never;

/** Type of the value that a row describes. */
type FieldValue<T, RowPath extends string> = RowPath extends keyof T
  ? T[RowPath] extends { readonly value: z.ZodMiniType<infer V> }
    ? RowPath extends `${string}[]`
      ? readonly V[]
      : V
    : `${RowPath}.*` extends keyof T
      ? Readonly<Record<string, string>>
      : RowPath extends `${string}[]`
        ? readonly Body<T, `${RowPath}.`>[]
        : Body<T, `${RowPath}.`>
  : never;

/** Type of a stored body: unset fields are absent, never null. */
export type Body<T, Prefix extends string = ''> = {
  readonly [
    Name in FieldNames<T, Prefix> as Name extends '*' ? never : Name extends `${infer Bare}[]` ? Bare : Name
  ]?: FieldValue<T, `${Prefix}${Name}`>;
};

/** Type of a patch: an absent field stays, null clears, null in a map removes the entry. */
export type PatchOf<T> = T extends readonly (infer E)[]
  ? readonly PatchOf<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: PatchOf<NonNullable<T[K]>> | null }
    : T;

/** Fields that a client selects: all (`isWhole`), or some. The name `*` stands for every name. */
export interface FieldSelection {
  readonly isWhole: boolean;
  readonly fields: ReadonlyMap<string, FieldSelection>;
}

export const wholeSelection: FieldSelection = { isWhole: true, fields: new Map() };

/** Computes the selection of a request; absent: the whole value. */
export type GetSelection = () => FieldSelection;

/** New `sms` reminders are ignored with a warning: Google no longer offers the method. */
const reminderMethods = ['email', 'sms', 'popup'] as const;
/** Limit of reminders per user and event, and per calendar. */
export const maxReminders = 5;
/** Minutes before the start, up to four weeks. */
const reminderMinutes = integer(0, 40_320);

/** Rows of reminders, for events and for the defaults of calendars. */
export const reminderFields = {
  method: { isRequired: true, value: z.enum(reminderMethods) },
  minutes: { isRequired: true, value: reminderMinutes },
} as const satisfies Readonly<Record<string, FieldRow>>;
