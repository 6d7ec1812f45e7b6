import { isObjectType, type GraphQLArgument, type GraphQLField } from 'graphql';
import { createGatewaySchema } from '../../src/faces/graphql/schema.ts';
import { selectEveryField } from '../selections.ts';

const { schema } = createGatewaySchema();
const allEventFields = selectEveryField('Event', schema);

/** Selections other than all fields. A page has its events once; the state of a message depends on timing. */
const specialSelections: Readonly<Record<string, string>> = {
  EventConnection: `{ nodes ${allEventFields} edges { cursor node { id } } pageInfo ${selectEveryField('PageInfo', schema)} nextSyncToken }`,
  ObjectChangeResult: '{ messages { messageId notificationId topic attributes data } }',
};

const documents = new Map<string, string>();

/** The document of a root field, with all arguments as variables and all fields selected as `result`. */
export function documentFor(name: string): string {
  let document = documents.get(name);
  if (!document) documents.set(name, (document = writeDocument(name)));
  return document;
}

function writeDocument(name: string): string {
  const [kind, field] = findRootField(name);
  const type = schema.getType(field.type.toString().replace(/[[\]!]/g, ''));
  const selection = isObjectType(type)
    ? (specialSelections[type.name] ?? selectEveryField(type.name, schema))
    : '';
  // Unsent variables leave the defaults of the arguments.
  const variableDefinitions = field.args
    .map((argument: GraphQLArgument) => `$${argument.name}: ${argument.type.toString()}`)
    .join(', ');
  const argumentList = field.args.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  return `${kind} ${variableDefinitions && `(${variableDefinitions})`} { result: ${name} ${argumentList && `(${argumentList})`} ${selection} }`;
}

function findRootField(name: string): readonly [string, GraphQLField<unknown, unknown>] {
  const roots = { query: schema.getQueryType(), mutation: schema.getMutationType() };
  for (const [kind, type] of Object.entries(roots)) {
    const field = type?.getFields()[name];
    if (field) return [kind, field];
  }
  throw new Error(`There is no root field ${name}.`);
}
