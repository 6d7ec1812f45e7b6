// Servers to compare the gateway with. Starts one on a free port and prints its URL: node servers.js NAME DATABASE_URL
import { createServer } from 'node:http';
import { createTokenVerifier } from '../../dist/access/token.js';
import { secret } from '../compare/data.js';
import { operations } from './data.js';
import { applyPatch, createLimitOperations, eventIdOf, openPool, parseStartBounds } from './limit.js';

const host = '127.0.0.1';

const typeDefs = `
  scalar DateTime
  type Time { dateTime: DateTime }
  type Event { id: String etag: String summary: String location: String start: Time end: Time }
  type Events { nodes: [Event!]! }
  input EventInput { summary: String location: String }
  enum Order { startTime }
  type Query { events(calendarId: String!, timeMin: DateTime, timeMax: DateTime, singleEvents: Boolean, orderBy: Order): Events }
  type Mutation { patchEvent(calendarId: String!, eventId: String!, event: EventInput!): Event }`;

/** Converts a stored event to the fields of the schema. */
const toEvent = (body) => ({ id: eventIdOf(body), etag: String(body.version), ...body.core });

/** Typical resolvers: a version prevents lost updates; no guests, no sync tokens, no transaction over two tables. */
const createResolvers = (db) => ({
  Query: {
    async events(_, { timeMin, timeMax }, { email }) {
      const [minStartMs, maxStartMs] = parseStartBounds({ from: timeMin, to: timeMax });
      const rows = await db
        .selectFrom('events')
        .select('body')
        .where('calendar_id', '=', email)
        .where('start_ms', '>', minStartMs)
        .where('start_ms', '<', maxStartMs)
        .orderBy('start_ms')
        .execute();
      return { nodes: rows.map(({ body }) => toEvent(body)) };
    },
  },
  Mutation: {
    async patchEvent(_, { eventId, event }, { email }) {
      for (;;) {
        const row = await db
          .selectFrom('events')
          .innerJoin('calendars', 'calendars.id', 'events.calendar_id')
          .select(['events.version', 'events.body', 'calendars.body as calendar'])
          .where('events.calendar_id', '=', email)
          .where('events.id', '=', eventId)
          .executeTakeFirstOrThrow();
        const next = applyPatch(row.body, event);
        const { numUpdatedRows } = await db
          .updateTable('events')
          .set({
            version: row.version + 1,
            body: JSON.stringify(next),
            start_ms: Date.parse(next.core.start.dateTime),
          })
          .where('calendar_id', '=', email)
          .where('id', '=', eventId)
          .where('version', '=', row.version)
          .executeTakeFirst();
        if (Number(numUpdatedRows) === 1) return toEvent(next);
      }
    },
  },
});

/** Functions that start a server on the tables of limit.js and resolve to its port. */
const servers = {
  async apollo(url) {
    const { ApolloServer } = await import('@apollo/server');
    const { startStandaloneServer } = await import('@apollo/server/standalone');
    const { jwtVerify } = await import('jose');
    const { Kysely, PostgresDialect } = await import('kysely');
    const db = new Kysely({ dialect: new PostgresDialect({ pool: openPool(url) }) }).withSchema('plain');
    const key = Buffer.from(secret);
    const context = async ({ req }) => ({
      email: (await jwtVerify(req.headers.authorization.slice('Bearer '.length), key)).payload.email,
    });
    return new URL(
      (
        await startStandaloneServer(new ApolloServer({ typeDefs, resolvers: createResolvers(db) }), {
          listen: { port: 0, host },
          context,
        })
      ).url,
    ).port;
  },
  /** Serves the limit of limit.js over node:http, including the calendar's revision counter. */
  async http(url) {
    const limitOperations = createLimitOperations(url, { countsChanges: true });
    const verify = createTokenVerifier({ secret }, Date.now);
    const operationsByQuery = new Map(
      Object.entries(operations).map(([name, { query, field }]) => [
        query,
        { run: limitOperations[name], field },
      ]),
    );
    const server = createServer((request, response) => {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', async () => {
        const { query, variables } = JSON.parse(Buffer.concat(chunks));
        const { identity } = await verify(request.headers.authorization);
        const { run, field } = operationsByQuery.get(query);
        const body = JSON.stringify({ data: { [field]: await run(identity, variables) } });
        response.writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        });
        response.end(body);
      });
    });
    return new Promise((resolve) => server.listen(0, host, () => resolve(server.address().port)));
  },
};

const [, , name, url] = process.argv;
console.log(`The server is ready at http://${host}:${await servers[name](url)}/graphql`);
