import {
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  valueFromAST,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLList,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { isFields } from '../../../core/kernel/patch.ts';
import { maxEntries, type NamedInput } from '../input/fit.ts';
import { unexpected } from './leaves.ts';
import { NotCompiled } from './selection.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** The coerced value. Throws for one that does not fit: how it does not is for the full pipeline to tell. */
type Coerce = (value: unknown) => unknown;

/** What a client's cache adds to objects it read, and sends back with them. */
const typeName = '__typename';

/** Makes coercers, one for each input type however many operations use it. */
export class CoercerFactory {
  readonly #schema: GraphQLSchema;
  readonly #objects = new Map<GraphQLInputObjectType, Coerce>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** The variables of an operation, from those that were sent. */
  variables({ variableDefinitions = [] }: OperationDefinitionNode): (sent: Variables) => Variables {
    const readers = variableDefinitions.map((definition) => this.#variable(definition));
    return (sent) => {
      const variables: Record<string, unknown> = {};
      for (const { name, read } of readers) {
        const value = read(Object.hasOwn(sent, name) ? sent[name] : undefined);
        if (value !== undefined) variables[name] = value;
      }
      return variables;
    };
  }

  #variable({ variable, type: typeNode, defaultValue }: VariableDefinitionNode): { readonly name: string; readonly read: Coerce } {
    const type = typeFromAST(this.#schema, typeNode);
    if (!isInputType(type)) throw new NotCompiled('a variable of no input type');
    const coerce = this.#coercer(type);
    if (!defaultValue) return { name: variable.name.value, read: isNonNullType(type) ? coerce : (value) => (value === undefined ? undefined : coerce(value)) };
    return { name: variable.name.value, read: (value) => (value === undefined ? valueFromAST(defaultValue, type) : coerce(value)) };
  }

  #coercer(type: GraphQLInputType): Coerce {
    if (isNonNullType(type)) {
      const coerce = this.#bareCoercer(type.ofType);
      return (value) => (value === null || value === undefined ? unexpected() : coerce(value));
    }
    const coerce = this.#bareCoercer(type);
    return (value) => (value === null || value === undefined ? null : coerce(value));
  }

  #bareCoercer(type: NamedInput | GraphQLList<GraphQLInputType>): Coerce {
    if (isListType(type)) return listCoercer(this.#coercer(type.ofType));
    if (isInputObjectType(type)) return this.#object(type);
    if (type.name === 'String') return (value) => (typeof value === 'string' ? value : unexpected());
    if (type.name === 'Boolean') return (value) => (typeof value === 'boolean' ? value : unexpected());
    if (isEnumType(type)) {
      const values = new Map<unknown, unknown>(type.getValues().map(({ name, value }) => [name, value]));
      return (value) => values.get(value) ?? unexpected();
    }
    return (value) => type.parseValue(value) ?? unexpected();
  }

  #object(type: GraphQLInputObjectType): Coerce {
    if (type.isOneOf) throw new NotCompiled('an input of one field');
    // Made when it is needed first: types may hold themselves.
    return (value) => {
      let coerce = this.#objects.get(type);
      if (!coerce) this.#objects.set(type, (coerce = this.#objectCoercer(type)));
      return coerce(value);
    };
  }

  #objectCoercer(type: GraphQLInputObjectType): Coerce {
    const all = Object.values(type.getFields()).map((field, index) => ({ ...field, index, coerce: this.#coercer(field.type) }));
    const fields = new Map(all.map((field) => [field.name, field]));
    const always = all.filter((field) => field.defaultValue !== undefined || isNonNullType(field.type));
    return (value) => {
      if (!isFields(value)) return unexpected();
      const given = [];
      let inOrder = true;
      let last = 0;
      for (const name of Object.keys(value)) {
        const field = fields.get(name);
        if (!field) {
          if (name === typeName) continue;
          return unexpected();
        }
        if (value[name] === undefined) continue;
        if (field.index < last) inOrder = false;
        last = field.index;
        given.push(field);
      }
      for (const field of always) {
        if (value[field.name] !== undefined) continue;
        if (field.defaultValue === undefined) return unexpected();
        given.push(field);
        inOrder = false;
      }
      if (!inOrder) given.sort((a, b) => a.index - b.index); // as the schema has them
      const coerced: Record<string, unknown> = {};
      for (const { name, coerce, defaultValue } of given) coerced[name] = value[name] === undefined ? defaultValue : coerce(value[name]);
      return coerced;
    };
  }
}

/** A value in place of a list is its only entry. */
function listCoercer(coerce: Coerce): Coerce {
  return (value) => {
    if (!Array.isArray(value)) return [coerce(value)];
    return value.length > maxEntries ? unexpected() : value.map(coerce);
  };
}
