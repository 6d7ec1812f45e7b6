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
import { sortBySdlOrder } from './sdl-order.js';

/** Plugin of graphql-codegen that writes the schema as a Markdown page. `--check` reports an outdated page. */
export function plugin(schema) {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const rootTypes = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    Boolean,
  );
  const otherTypes = types
    .filter((type) => !rootTypes.includes(type))
    .sort((type, other) => (type.name < other.name ? -1 : 1));
  const filterTypes = (isKind) => otherTypes.filter(isKind);
  return (
    [
      '# The schema',
      'Made from the files in `schema/` by `npm run codegen`. A running gateway has it as SDL at `/schema.graphql`.',
      ...(schema.description ? [schema.description] : []),
      ...rootTypes.flatMap((type) => [
        `## ${type.name}`,
        type.description,
        ...sortBySdlOrder(Object.values(type.getFields())).map(describeRootField),
      ]),
      ...createSection('Interfaces', filterTypes(isInterfaceType), (type) => [
        `Implemented by ${joinNames(schema.getPossibleTypes(type))}.`,
        ...describeFields(type),
      ]),
      ...createSection('Types', filterTypes(isObjectType), (type) => [
        ...(type.getInterfaces().length > 0 ? [`Implements ${joinNames(type.getInterfaces())}.`] : []),
        ...describeFields(type),
      ]),
      ...createSection('Inputs', filterTypes(isInputObjectType), describeFields),
      ...createSection('Enums', filterTypes(isEnumType), describeValues),
      ...createSection('Scalars', filterTypes(isScalarType), (type) =>
        type.specifiedByURL ? [`Specified by <${type.specifiedByURL}>.`] : [],
      ),
    ].join('\n\n') + '\n'
  );
}

/**
 * Creates a section with an entry for each type; nothing if there are none. `describeBody`: paragraphs of an
 * entry.
 */
const createSection = (title, types, describeBody) =>
  types.length === 0
    ? []
    : [
        `## ${title}`,
        ...types.flatMap((type) => [`### ${type.name}`, describeEntry(type), ...describeBody(type)]),
      ];

/** Describes a field of Query, Mutation or Subscription, with its arguments and scopes. */
function describeRootField(field) {
  const paragraphs = [
    `### ${field.name}`,
    `Answers with ${formatType(field.type)}.`,
    describeEntry(field),
    describeScopes(field),
  ];
  if (field.args.length > 0) paragraphs.push(createTable('argument', sortBySdlOrder(field.args)));
  return paragraphs.filter(Boolean).join('\n\n');
}

const joinNames = (entries) => entries.map(({ name }) => `\`${name}\``).join(', ');
const describeFields = (type) => [createTable('field', sortBySdlOrder(Object.values(type.getFields())))];
const describeValues = (type) => [createTable('value', sortBySdlOrder(type.getValues()))];

/** Creates a table of fields, arguments or enum values. `kind`: title of its first column. */
function createTable(kind, entries) {
  const hasTypes = kind !== 'value';
  const rows = entries.map(
    (entry) =>
      `| \`${entry.name}\` |${hasTypes ? ` ${formatType(formatTypeWithDefault(entry))} |` : ''} ${escapeCell([describeEntry(entry), kind === 'field' && describeDetails(entry)].filter(Boolean).join(' '))} |`,
  );
  return [
    `| ${kind} |${hasTypes ? ' type |' : ''} |`,
    hasTypes ? '|---|---|---|' : '|---|---|',
    ...rows,
  ].join('\n');
}

/** Describes arguments and scopes of a field that is not a root field. */
const describeDetails = (field) =>
  [field.args?.length > 0 && `Arguments: ${joinNames(sortBySdlOrder(field.args))}.`, describeScopes(field)]
    .filter(Boolean)
    .join(' ');

const formatType = (type) => `\`${String(type)}\``;
const formatTypeWithDefault = ({ type, defaultValue }) =>
  defaultValue === undefined ? type : `${type} = ${print(astFromValue(defaultValue, type))}`;
const escapeCell = (markdown) => markdown.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
/** Returns the description of a type, field, argument or value, and whether it is deprecated. */
const describeEntry = ({ description, deprecationReason }) =>
  [description, deprecationReason && `**Deprecated.** ${deprecationReason}`].filter(Boolean).join(' ');

/** Describes the scopes of a field from its directives. */
function describeScopes({ astNode }) {
  if (astNode?.directives?.some(({ name }) => name.value === 'authenticated'))
    return 'Scopes: any; a token is needed.';
  const scopesArgument = astNode?.directives?.find(({ name }) => name.value === 'requiresScopes')
    ?.arguments?.[0]?.value;
  if (!scopesArgument) return '';
  const alternatives = scopesArgument.values.map((alternative) =>
    alternative.values.map(({ value }) => `\`${value}\``).join(' and '),
  );
  return `Scopes: ${alternatives.join(', or ')}.`;
}
