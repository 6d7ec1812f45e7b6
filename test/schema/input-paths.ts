import { readFileSync } from 'node:fs';
import { getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { createGateway } from '../../src/faces/graphql/schema.ts';

/** Every path of an input type as rule tables write it: `attendees[].email`, and `map.*` for the entries of a map. */
export function inputPaths(typeName: string, prefix = '', schema = createGateway().schema): string[] {
  const type = schema.getType(typeName);
  if (!isInputObjectType(type)) throw new Error(`${typeName} is no input type`);
  return Object.values(type.getFields()).flatMap((field) => {
    const path = `${prefix}${field.name}${isListType(getNullableType(field.type)) ? '[]' : ''}`;
    const of = getNamedType(field.type);
    if (isInputObjectType(of)) return [path, ...inputPaths(of.name, `${path}.`, schema)];
    return of.name === 'StringMap' ? [path, `${path}.*`] : [path];
  });
}

/** The body's input nodes of a parameter table, written the same way. */
export function tablePaths(table: string): string[] {
  const text = readFileSync(new URL(`../fixtures/parameters/${table}.tsv`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .filter(([, , node, input]) => input === 'I' && node !== 'control')
    .map(([path = '']) => path.replace('.customKey.value', '.*'));
}
