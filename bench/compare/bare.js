// Servers on bare node:http without GraphQL: the lower bound for the cost of the same responses.
import { parse } from 'graphql';
import { WorkBudget } from '../../dist/core/runtime/limits.js';
import { operations } from './operations.js';

const byName = new Map(
  Object.values(operations).map((operation) => [/\w+ (\w+)/.exec(operation.query)[1], operation]),
);

/** Creates a function that reads the selected fields of a value, recursively. */
function readerOf({ selections }) {
  const fields = selections.map(({ name, selectionSet }) => [
    name.value,
    selectionSet && readerOf(selectionSet),
  ]);
  return function read(value) {
    if (value === undefined || value === null) return null;
    if (Array.isArray(value)) return value.map(read);
    const result = {};
    for (const [name, readField] of fields)
      result[name] = readField ? readField(value[name]) : (value[name] ?? null);
    return result;
  };
}

const resolversOf = ({ services }) => ({
  patchEvent: async (viewer, args) => (await services.events.patchEvent(viewer, args)).event,
  insertNotification: async (viewer, args) =>
    (await services.notifications.insertNotification(viewer, args)).notification,
  events: async (viewer, args) => {
    const { edges, hasNextPage } = await services.events.listEvents(
      viewer,
      { ...args, singleEvents: true, orderBy: 'startTime', first: 50 },
      {},
      new WorkBudget(),
    );
    return {
      nodes: edges.map(({ node }) => node),
      pageInfo: { hasNextPage, endCursor: edges.at(-1)?.cursor },
    };
  },
});

function handle(answer) {
  return (request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const body = await answer(JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)), request);
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  };
}

/** Creates a function that calls the service of a request and writes the selected fields. */
export function createAnswerer(services) {
  const answers = resolversOf(services);
  const readers = new Map(
    [...byName].map(([name, { query }]) => [
      name,
      readerOf(parse(query).definitions[0].selectionSet.selections[0].selectionSet),
    ]),
  );
  return async ({ operationName, variables }, viewer) => {
    const { field } = byName.get(operationName);
    return JSON.stringify({
      data: { [field]: readers.get(operationName)(await answers[field](viewer, variables)) },
    });
  };
}

export const bare = {
  /** Serves with only parsing, token check, service call and stringifying. */
  limit(services) {
    const answer = createAnswerer(services);
    return handle(async (body, { headers }) => answer(body, await services.verify(headers.authorization)));
  },
  /** Serves with only parsing and stringifying: responds with the answer that was posted to `/answers` before. */
  echo() {
    const answers = new Map();
    return handle(async (body, { url }) => {
      if (url !== '/answers') return JSON.stringify(answers.get(body.operationName));
      answers.set(body.operationName, body.answer);
      return '{}';
    });
  },
};
