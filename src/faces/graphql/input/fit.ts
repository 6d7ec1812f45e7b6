import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLEnumType,
  type GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
} from 'graphql';
import type { Issue, Path } from '../../../core/kernel/errors.ts';
import { isFields } from '../../../core/kernel/patch.ts';
import { shorten } from '../errors.ts';

/** What a client's cache adds to objects it read, and sends back with them. */
const typeName = '__typename';
/** More than any list of a resource holds, and few enough to be walked many times. */
export const maxEntries = 1_000;

/** A value, or a part of one, that fits nothing. */
export const coercionError = Symbol('coercionError');

/**
 * Reads JSON values as a schema has them: what fits is coerced, what does not is told with its path and left out. Stops
 * at a bound of issues, so that it costs no more than what it tells of.
 */
export class Fitter {
  readonly issues: Issue[] = [];
  readonly #max: number;
  readonly #path: (string | number)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.issues.length >= this.#max;
  }

  /** The coerced value, without what does not fit; `coercionError` when it does not fit as a whole. */
  fit(value: unknown, type: GraphQLInputType): unknown {
    if (isNonNullType(type)) {
      return value === null || value === undefined ? this.#tell([], 'required', 'This must not be null.') : this.fit(value, type.ofType);
    }
    if (value === null || value === undefined) return null;
    if (isListType(type)) return this.#list(value, type.ofType);
    return isInputObjectType(type) ? this.#object(value, type) : this.#leaf(value, type);
  }

  /** A value in place of a list is its only entry. */
  #list(value: unknown, type: GraphQLInputType): unknown {
    if (!Array.isArray(value)) {
      // One that could be no entry at all is told at the list.
      const entry = isInputObjectType(bare(type)) && isFields(value) ? this.#at(0, () => this.fit(value, type)) : this.fit(value, type);
      return entry === coercionError ? coercionError : [entry];
    }
    if (value.length > maxEntries) {
      const message = `A list may have at most ${maxEntries} entries; this one has ${value.length}.`;
      return this.#tell([], 'tooMany', message, { max: maxEntries, actual: value.length });
    }
    const entries: unknown[] = [];
    for (let index = 0; index < value.length && !this.isFull; index += 1) {
      const entry = this.#at(index, () => this.fit(value[index], type));
      entries.push(entry === coercionError ? null : entry);
    }
    return entries;
  }

  #object(value: unknown, type: GraphQLInputObjectType): unknown {
    if (!isFields(value)) return this.#tell([], 'invalid', 'This must be a JSON object.');
    const fields = type.getFields();
    const fitting: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      if (this.isFull) break;
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (field) {
        if (value[name] === undefined) continue;
        const fitted = this.#at(name, () => this.fit(value[name], field.type));
        if (fitted !== coercionError) fitting[name] = fitted;
      } else if (name !== typeName) this.#tell([name], 'invalid', `${type.name} has no field ${shorten(name)}.`);
    }
    for (const { name, type: of, defaultValue } of Object.values(fields)) {
      if (value[name] !== undefined) continue;
      if (defaultValue !== undefined) fitting[name] = defaultValue;
      else if (isNonNullType(of)) this.#tell([name], 'required', `${name} is required.`);
    }
    return fitting;
  }

  #leaf(value: unknown, type: GraphQLScalarType | GraphQLEnumType): unknown {
    try {
      const parsed: unknown = type.parseValue(value);
      if (parsed !== undefined) return parsed;
    } catch (error) {
      const { message, extensions } = error as GraphQLError;
      const keys = extensions.keys as readonly string[] | undefined;
      if (!keys) return this.#tell([], 'invalid', builtIn[type.name] ?? (isEnumType(type) ? notAllowedBy(type) : shorten(message)));
      for (const key of keys) if (!this.isFull) this.#tell([key], 'invalid', shorten(message));
      const wrong = new Set(keys);
      return Object.fromEntries(Object.entries(value as object).filter(([key]) => !wrong.has(key)));
    }
    return coercionError;
  }

  #at<T>(step: string | number, run: () => T): T {
    this.#path.push(step);
    try {
      return run();
    } finally {
      this.#path.pop();
    }
  }

  #tell(below: Path, reason: Issue['reason'], message: string, params?: Issue['params']): typeof coercionError {
    if (!this.isFull) this.issues.push({ path: [...this.#path, ...below], reason, message, ...(params && { params }) });
    return coercionError;
  }
}

/** What the types of the language take, in our words. */
const builtIn: Readonly<Record<string, string>> = {
  String: 'This must be a string.',
  ID: 'This must be a string.',
  Boolean: 'This must be true or false.',
  Int: 'This must be a whole number from -2147483648 to 2147483647.',
  Float: 'This must be a number.',
};

function notAllowedBy(type: GraphQLEnumType): string {
  return `This value is not allowed here. Allowed: ${type.getValues().map(({ name }) => name).join(', ')}.`;
}

export type NamedInput = Exclude<GraphQLInputType, { readonly ofType: unknown }>;

/** The type itself, whatever lists or demands stand around it. */
export function bare(type: GraphQLInputType): NamedInput {
  return isNonNullType(type) || isListType(type) ? bare(type.ofType) : type;
}
