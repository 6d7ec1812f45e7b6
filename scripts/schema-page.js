import {
  astFromValue,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  print,
} from 'graphql';
import { inSdlOrder } from './sdl-order.js';

/** A plugin of graphql-codegen that writes the schema as a page of Markdown. Its `--check` tells when the page is old. */
export function plugin(schema) {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    Boolean,
  );
  const others = types.filter((type) => !roots.includes(type)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const of = (is) => others.filter(is);
  return (
    [
      '# The schema',
      'Made from the files in `schema/` by `npm run codegen`. A running gateway has it as SDL at `/schema.graphql`.',
      ...(schema.description ? [schema.description] : []),
      ...roots.flatMap((type) => [
        `## ${type.name}`,
        type.description,
        ...inSdlOrder(Object.values(type.getFields())).map(rootField),
      ]),
      ...section('Interfaces', of(isInterfaceType), (type) => [
        `Implemented by ${names(schema.getPossibleTypes(type))}.`,
        ...fields(type),
      ]),
      ...section('Types', of(isObjectType), (type) => [
        ...(type.getInterfaces().length > 0 ? [`Implements ${names(type.getInterfaces())}.`] : []),
        ...fields(type),
      ]),
      ...section('Inputs', of(isInputObjectType), fields),
      ...section('Enums', of(isEnumType), values),
      ...section('Scalars', of(isScalarType), (type) =>
        type.specifiedByURL ? [`Specified by <${type.specifiedByURL}>.`] : [],
      ),
    ].join('\n\n') + '\n'
  );
}

const section = (title, types, body) =>
  types.length === 0
    ? []
    : [`## ${title}`, ...types.flatMap((type) => [`### ${type.name}`, text(type), ...body(type)])];

function rootField(field) {
  const parts = [`### ${field.name}`, `Answers with ${code(field.type)}.`, text(field), scopes(field)];
  if (field.args.length > 0) parts.push(table('argument', inSdlOrder(field.args)));
  return parts.filter(Boolean).join('\n\n');
}

const names = (entries) => entries.map(({ name }) => `\`${name}\``).join(', ');
const fields = (type) => [table('field', inSdlOrder(Object.values(type.getFields())))];
const values = (type) => [table('value', inSdlOrder(type.getValues()))];

function table(kind, entries) {
  const typed = kind !== 'value';
  const rows = entries.map(
    (entry) =>
      `| \`${entry.name}\` |${typed ? ` ${code(typeOf(entry))} |` : ''} ${cell([text(entry), kind === 'field' && below(entry)].filter(Boolean).join(' '))} |`,
  );
  return [`| ${kind} |${typed ? ' type |' : ''} |`, typed ? '|---|---|---|' : '|---|---|', ...rows].join(
    '\n',
  );
}

/** The arguments and scopes of a field of a type that is no root. */
const below = (field) =>
  [field.args?.length > 0 && `Arguments: ${names(inSdlOrder(field.args))}.`, scopes(field)]
    .filter(Boolean)
    .join(' ');

const code = (type) => `\`${String(type)}\``;
const typeOf = ({ type, defaultValue }) =>
  defaultValue === undefined ? type : `${type} = ${print(astFromValue(defaultValue, type))}`;
const cell = (markdown) => markdown.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
const text = ({ description, deprecationReason }) =>
  [description, deprecationReason && `**Deprecated.** ${deprecationReason}`].filter(Boolean).join(' ');

/** The scopes of a field, as its directives have them. */
function scopes({ astNode }) {
  if (astNode?.directives?.some(({ name }) => name.value === 'authenticated'))
    return 'Scopes: any; a token is needed.';
  const rule = astNode?.directives?.find(({ name }) => name.value === 'requiresScopes')?.arguments?.[0]
    ?.value;
  if (!rule) return '';
  const alternatives = rule.values.map((all) => all.values.map(({ value }) => `\`${value}\``).join(' and '));
  return `Scopes: ${alternatives.join(', or ')}.`;
}
