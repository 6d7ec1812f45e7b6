// Bare node http without GraphQL: the least that the same answers cost.
import { parse } from 'graphql';
import { WorkBudget } from '../../dist/core/runtime/limits.js';
import { operations } from './operations.js';

const byName = new Map(
  Object.values(operations).map((operation) => [/\w+ (\w+)/.exec(operation.query)[1], operation]),
);

/** Reads the selected members of a value, and of those below it. */
function readerOf({ selections }) {
  const fields = selections.map(({ name, selectionSet }) => [
    name.value,
    selectionSet && readerOf(selectionSet),
  ]);
  return function read(value) {
    if (value === undefined || value === null) return null;
    if (Array.isArray(value)) return value.map(read);
    const result = {};
    for (const [name, below] of fields) result[name] = below ? below(value[name]) : (value[name] ?? null);
    return result;
  };
}

const answersOf = ({ services }) => ({
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
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', async () => {
      const body = await answer(JSON.parse(parts.length === 1 ? parts[0] : Buffer.concat(parts)), request);
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  };
}

/** Answers a request by its service, and writes what is selected. */
export function answererOf(parts) {
  const answers = answersOf(parts);
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
  /** Parse, token, service, stringify. */
  limit(parts) {
    const answer = answererOf(parts);
    return handle(async (body, { headers }) => answer(body, await parts.verify(headers.authorization)));
  },
  /** Parse and stringify: each operation is answered with what was sent to `/answers` for it. */
  echo() {
    const answers = new Map();
    return handle(async (body, { url }) => {
      if (url !== '/answers') return JSON.stringify(answers.get(body.operationName));
      answers.set(body.operationName, body.answer);
      return '{}';
    });
  },
};
