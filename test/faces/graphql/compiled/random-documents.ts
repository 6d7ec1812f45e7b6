import {
  astFromValue,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  print,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { Chance } from './seeded-random.ts';
import { createRandomInput } from './random-values.ts';

/** A document of one operation, and the variables that it declares. */
export interface RandomDocument {
  readonly query: string;
  readonly variables: readonly { readonly name: string; readonly type: GraphQLInputType }[];
}

/** Writes a random document, which is valid for the schema most of the time. */
export function writeRandomDocument(schema: GraphQLSchema, chance: Chance): RandomDocument {
  return new DocumentWriter(schema, chance).write();
}

class DocumentWriter {
  readonly #schema: GraphQLSchema;
  readonly #chance: Chance;
  readonly #variables: { name: string; type: GraphQLInputType; definition: string }[] = [];
  readonly #fragments: string[] = [];
  #nameCount = 0;

  constructor(schema: GraphQLSchema, chance: Chance) {
    this.#schema = schema;
    this.#chance = chance;
  }

  write(): RandomDocument {
    const chance = this.#chance;
    const kind = chance.pick(['query', 'mutation']);
    const root = (
      kind === 'query' ? this.#schema.getQueryType() : this.#schema.getMutationType()
    ) as GraphQLObjectType;
    const fields = Array.from({ length: 1 + chance.nextIntegerUpTo(chance.happens(0.3) ? 3 : 0) }, () =>
      this.#writeField(chance.pick(Object.values(root.getFields())), 0, /* needsAlias */ true),
    );
    if (chance.happens(0.1)) fields.push(`${this.#writeAlias(0.5)}__typename`);
    const selectionSet = chance.happens(0.1)
      ? `{ ... ${this.#writeCondition()} { ${fields.join(' ')} } }`
      : `{ ${fields.join(' ')} }`;
    const definitions = this.#variables.map(({ definition }) => definition);
    const header = definitions.length > 0 ? `${kind} Made(${definitions.join(', ')})` : `${kind} Made`;
    return {
      query: [`${header} ${selectionSet}`, ...this.#fragments].join('\n'),
      variables: this.#variables,
    };
  }

  #writeAlias(probability: number): string {
    return this.#chance.happens(probability) ? `a${(this.#nameCount += 1)}: ` : '';
  }

  #writeField(
    field: { name: string; args: readonly GraphQLArgument[]; type: unknown },
    depth: number,
    needsAlias = false,
  ): string {
    const args = field.args.flatMap((arg) => this.#writeArgument(arg));
    const type = getNamedType(field.type as GraphQLNamedType);
    const subselection = isObjectType(type) ? this.#writeSelectionSet(type, depth + 1) : '';
    return `${this.#writeAlias(needsAlias ? 1 : 0.1)}${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${this.#writeCondition()}${subselection}`;
  }

  #writeSelectionSet(type: GraphQLObjectType, depth: number): string {
    const chance = this.#chance;
    const allFields = Object.values(type.getFields());
    const selections: string[] = [];
    for (const field of allFields) {
      const isLeaf = isLeafType(getNamedType(field.type));
      if (
        chance.happens(
          isLeaf ? Math.min(0.5, 6 / allFields.length) : depth > 3 ? 0 : depth === 1 ? 0.25 : 0.4,
        )
      )
        selections.push(this.#writeField(field, depth));
    }
    if (chance.happens(0.15) || selections.length === 0)
      selections.push(`${this.#writeAlias(0.3)}__typename`);
    if (chance.happens(0.1)) selections.push(selections[0] ?? '');
    if (depth < 4 && chance.happens(0.15))
      selections.splice(
        chance.nextIntegerUpTo(selections.length),
        0,
        `...${chance.happens(0.5) ? ` on ${type.name}` : ''}${this.#writeCondition()}${this.#writeSelectionSet(type, depth + 1)}`,
      );
    if (depth < 4 && chance.happens(0.1)) {
      const name = `F${(this.#nameCount += 1)}`;
      this.#fragments.push(`fragment ${name} on ${type.name}${this.#writeSelectionSet(type, depth + 1)}`);
      selections.push(`...${name}${this.#writeCondition()}`);
      if (chance.happens(0.3)) selections.unshift(`...${name}`);
    }
    return ` { ${selections.join(' ')} }`;
  }

  #writeCondition(): string {
    const chance = this.#chance;
    if (!chance.happens(0.08)) return '';
    // A blank after the type marks variables that were added for conditions.
    const conditionVariables = this.#variables.filter(({ definition }) => definition.includes(': Boolean! '));
    const value = chance.happens(0.2)
      ? this.#addNullableCondition()
      : chance.happens(0.4)
        ? String(chance.happens(0.5))
        : conditionVariables.length > 1
          ? `$${chance.pick(conditionVariables).name}`
          : this.#addVariable(this.#schema.getType('Boolean') as GraphQLInputType, 'Boolean! ');
    return ` @${chance.pick(['skip', 'include'])}(if: ${value})`;
  }

  /** Adds a nullable variable: with a default it passes validation, and a null is found at execution only. */
  #addNullableCondition(): string {
    const name = `v${(this.#nameCount += 1)}`;
    this.#variables.push({
      name,
      type: this.#schema.getType('Boolean') as GraphQLInputType,
      definition: `$${name}: Boolean = ${this.#chance.happens(0.5)}`,
    });
    return `$${name}`;
  }

  #writeArgument({ name, type, defaultValue }: GraphQLArgument): string[] {
    const chance = this.#chance;
    const isRequired = isNonNullType(type) && defaultValue === undefined;
    if (!isRequired && chance.happens(0.6)) return [];
    return [
      `${name}: ${chance.happens(0.6) ? this.#addVariable(type, String(type)) : this.#writeLiteral(type)}`,
    ];
  }

  #addVariable(type: GraphQLInputType, typeText: string): string {
    const chance = this.#chance;
    const name = `v${(this.#nameCount += 1)}`;
    const nullableType = isNonNullType(type) ? type.ofType : type;
    const defaultValue =
      chance.happens(0.15) && isLeafType(nullableType) ? ` = ${this.#writeConstant(nullableType)}` : '';
    const nonNullMark = chance.happens(0.1) && !typeText.trim().endsWith('!') ? '!' : '';
    this.#variables.push({ name, type, definition: `$${name}: ${typeText}${nonNullMark}${defaultValue}` });
    return `$${name}`;
  }

  #writeConstant(type: GraphQLInputType): string {
    if (String(type) === 'StringMap') return '{ a: "b", c: null }';
    if (String(type) === 'JSONObject') return '{ a: [1, { b: "c" }] }';
    for (let tries = 0; tries < 20; tries += 1) {
      const value = createRandomInput(type, this.#chance, 0);
      const node = value === null ? undefined : astFromValue(value, type);
      if (node) return print(node);
    }
    return '""';
  }

  /** Writes a literal value, sometimes with variables inside. */
  #writeLiteral(type: GraphQLInputType, depth = 0): string {
    const chance = this.#chance;
    if (isNonNullType(type)) return this.#writeLiteral(type.ofType, depth);
    if (depth > 0 && chance.happens(0.1)) return this.#addVariable(type, String(type));
    if (isListType(type))
      return `[${Array.from({ length: chance.nextIntegerUpTo(2) }, () => this.#writeLiteral(type.ofType, depth + 1)).join(', ')}]`;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => isNonNullType(field.type) || chance.happens(depth > 2 ? 0.05 : 0.12),
      );
      return `{ ${fields.map((field) => `${field.name}: ${this.#writeLiteral(field.type, depth + 1)}`).join(', ')} }`;
    }
    if (type.name === 'StringMap')
      return depth > 0 && chance.happens(0.3)
        ? `{ a: ${this.#addVariable(this.#schema.getType('String') as GraphQLInputType, 'String')} }`
        : this.#writeConstant(type);
    return this.#writeConstant(type);
  }
}
