import { isObjectType, type GraphQLArgument, type GraphQLField } from 'graphql';
import { createGateway } from '../../src/faces/graphql/schema.ts';
import { everyField } from '../selections.ts';

const { schema } = createGateway();
const event = everyField('Event', schema);

/** What is asked of a type: all of it, events of a page once; the state of a message depends on how soon it is published. */
const selections: Readonly<Record<string, string>> = {
  EventConnection: `{ nodes ${event} edges { cursor node { id } } pageInfo ${everyField('PageInfo', schema)} nextSyncToken }`,
  ObjectChangeResult: '{ messages { messageId notificationId topic attributes data } }',
};

const documents = new Map<string, string>();

/** An operation of one root field that takes all its arguments as variables and answers with all there is, as `result`. */
export function documentOf(name: string): string {
  let document = documents.get(name);
  if (!document) documents.set(name, (document = write(name)));
  return document;
}

function write(name: string): string {
  const [kind, field] = rootField(name);
  const type = schema.getType(field.type.toString().replace(/[[\]!]/g, ''));
  const selection = isObjectType(type) ? (selections[type.name] ?? everyField(type.name, schema)) : '';
  // A variable that is not sent leaves the argument's own default.
  const declared = field.args
    .map((argument: GraphQLArgument) => `$${argument.name}: ${argument.type.toString()}`)
    .join(', ');
  const passed = field.args.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  return `${kind} ${declared && `(${declared})`} { result: ${name} ${passed && `(${passed})`} ${selection} }`;
}

function rootField(name: string): readonly [string, GraphQLField<unknown, unknown>] {
  for (const [kind, type] of [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const) {
    const field = type?.getFields()[name];
    if (field) return [kind, field];
  }
  throw new Error(`There is no root field ${name}.`);
}
