// Servers on bare node:http without GraphQL: the lower bound for the cost of the same responses.
import { parse } from 'graphql';
import { WorkBudget } from '../../dist/core/runtime/limits.js';
import { operations } from './operations.js';

// The name of an operation is the second word of its document.
const operationsByName = new Map(
  Object.values(operations).map((operation) => [/\w+ (\w+)/.exec(operation.query)[1], operation]),
);

/** Creates a function that reads the selected fields of a value, recursively. */
function createReader({ selections }) {
  const fields = selections.map(({ name, selectionSet }) => [
    name.value,
    selectionSet && createReader(selectionSet),
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

/** Calls of the services by root field, as far as the measured operations need them. */
const createResolvers = ({ services }) => ({
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

/** Creates a request listener of node:http. `createBody`: returns the response body for parsed JSON. */
function createListener(createBody) {
  return (request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const body = await createBody(
        JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)),
        request,
      );
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  };
}

/** Creates a function that calls the service of an operation and returns the response body. */
export function createResponder(services) {
  const resolvers = createResolvers(services);
  const readers = new Map(
    [...operationsByName].map(([name, { query }]) => [
      name,
      createReader(parse(query).definitions[0].selectionSet.selections[0].selectionSet),
    ]),
  );
  return async ({ operationName, variables }, viewer) => {
    const { field } = operationsByName.get(operationName);
    return JSON.stringify({
      data: { [field]: readers.get(operationName)(await resolvers[field](viewer, variables)) },
    });
  };
}

/** Request listeners of the servers on bare node:http. */
export const bareListeners = {
  /** Serves with only parsing, token check, service call and stringifying. */
  limit(services) {
    const createBody = createResponder(services);
    return createListener(async (body, { headers }) =>
      createBody(body, await services.verify(headers.authorization)),
    );
  },
  /** Serves with only parsing and stringifying: responds with what was posted to `/responses` before. */
  echo() {
    const responses = new Map();
    return createListener(async (body, { url }) => {
      if (url !== '/responses') return JSON.stringify(responses.get(body.operationName));
      responses.set(body.operationName, body.response);
      return '{}';
    });
  },
};
