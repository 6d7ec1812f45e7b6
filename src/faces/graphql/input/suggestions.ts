import { isInputObjectType, isObjectType, type GraphQLSchema } from 'graphql';
import { didYouMean } from 'graphql/jsutils/didYouMean.js';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import { schemaNames } from '../../../official/names.ts';

/** Suggests names of the schema that are like an unknown one, or the name for one of Google's APIs. */
export const suggest = (name: string, known: readonly string[]): string =>
  suggestRenamed(name, known) || didYouMean(suggestionList(name, known));

function suggestRenamed(name: string, known: readonly string[]): string {
  const names = Object.hasOwn(schemaNames, name) ? (schemaNames[name] ?? []) : [];
  return didYouMean(names.filter((one) => known.includes(one)));
}

/** Unknown names in messages of the GraphQL library, with the type and the field that do not know them. */
const unknownName =
  /^(?:Unknown argument|Cannot query field|Field) "(\w+)" (?:on field|on type|is not defined by type) "(\w+)(?:\.(\w+))?"\./;

/** A message of the GraphQL library on a document: without its suggestions for callers who may not see the schema. */
export function withSuggestions(message: string, schema: GraphQLSchema, seesSchema: boolean): string {
  const plain = message.replace(/ ?Did you mean(.+?)\?$/, '');
  const [, name, typeName = '', field] = unknownName.exec(message) ?? [];
  const type = schema.getType(typeName);
  if (!seesSchema) return plain;
  if (name === undefined || !(isObjectType(type) || isInputObjectType(type))) return message;
  const fields = type.getFields();
  const found = field === undefined ? undefined : fields[field];
  const known = found && 'args' in found ? found.args.map((arg) => arg.name) : Object.keys(fields);
  const renamed = suggestRenamed(name, known);
  return renamed === '' ? message : plain + renamed;
}
