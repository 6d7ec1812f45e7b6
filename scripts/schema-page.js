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

/** Plugin of graphql-codegen that writes the schema as a Markdown page. `--check` reports an outdated page. */
export function plugin(schema) {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    Boolean,
  );
  const otherTypes = types.filter((type) => !roots.includes(type)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const typesOf = (isKind) => otherTypes.filter(isKind);
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
      ...section('Interfaces', typesOf(isInterfaceType), (type) => [
        `Implemented by ${names(schema.getPossibleTypes(type))}.`,
        ...fields(type),
      ]),
      ...section('Types', typesOf(isObjectType), (type) => [
        ...(type.getInterfaces().length > 0 ? [`Implements ${names(type.getInterfaces())}.`] : []),
        ...fields(type),
      ]),
      ...section('Inputs', typesOf(isInputObjectType), fields),
      ...section('Enums', typesOf(isEnumType), values),
      ...section('Scalars', typesOf(isScalarType), (type) =>
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
      `| \`${entry.name}\` |${typed ? ` ${code(typeOf(entry))} |` : ''} ${cell([text(entry), kind === 'field' && fieldNotes(entry)].filter(Boolean).join(' '))} |`,
  );
  return [`| ${kind} |${typed ? ' type |' : ''} |`, typed ? '|---|---|---|' : '|---|---|', ...rows].join(
    '\n',
  );
}

/** Describes arguments and scopes of a field that is not a root field. */
const fieldNotes = (field) =>
  [field.args?.length > 0 && `Arguments: ${names(inSdlOrder(field.args))}.`, scopes(field)]
    .filter(Boolean)
    .join(' ');

const code = (type) => `\`${String(type)}\``;
const typeOf = ({ type, defaultValue }) =>
  defaultValue === undefined ? type : `${type} = ${print(astFromValue(defaultValue, type))}`;
const cell = (markdown) => markdown.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
const text = ({ description, deprecationReason }) =>
  [description, deprecationReason && `**Deprecated.** ${deprecationReason}`].filter(Boolean).join(' ');

/** Describes the scopes of a field from its directives. */
function scopes({ astNode }) {
  if (astNode?.directives?.some(({ name }) => name.value === 'authenticated'))
    return 'Scopes: any; a token is needed.';
  const rule = astNode?.directives?.find(({ name }) => name.value === 'requiresScopes')?.arguments?.[0]
    ?.value;
  if (!rule) return '';
  const alternatives = rule.values.map((alternative) =>
    alternative.values.map(({ value }) => `\`${value}\``).join(' and '),
  );
  return `Scopes: ${alternatives.join(', or ')}.`;
}
