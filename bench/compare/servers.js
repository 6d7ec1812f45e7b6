// Servers of the comparison. Starts one on a free port and prints its URL: node servers.js NAME EVENTS
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { bareListeners } from './bare-servers.js';
import { createServices } from './services.js';

const host = '127.0.0.1';
const listen = (server) =>
  new Promise((resolve) => server.listen(0, host, () => resolve(server.address().port)));

/** Functions that start a server and resolve to its port, by name of the server. */
const servers = {
  async apollo({ schema, authenticate }) {
    const { ApolloServer } = await import('@apollo/server');
    const { startStandaloneServer } = await import('@apollo/server/standalone');
    const server = new ApolloServer({ schema });
    const { url } = await startStandaloneServer(server, {
      listen: { port: 0, host },
      context: ({ req }) => authenticate(req.headers.authorization),
    });
    return new URL(url).port;
  },
  async yoga({ schema, authenticate }) {
    const { createYoga } = await import('graphql-yoga');
    return listen(
      createServer(
        createYoga({
          schema,
          logging: false,
          context: ({ request }) => authenticate(request.headers.get('authorization') ?? undefined),
        }),
      ),
    );
  },
  async mercuriusJit({ schema, authenticate }) {
    const [{ default: Fastify }, { default: mercurius }] = await Promise.all([
      import('fastify'),
      import('mercurius'),
    ]);
    const app = Fastify();
    await app.register(mercurius, {
      schema,
      jit: 1,
      context: (request) => authenticate(request.headers.authorization),
    });
    return new URL(await app.listen({ port: 0, host })).port;
  },
  async mercuriusJitDuties(services) {
    const { serveWithDuties } = await import('./production-servers.js');
    return serveWithDuties(services);
  },
  async limitDuties(services) {
    const { limitWithDuties } = await import('./production-servers.js');
    return limitWithDuties(services);
  },
  limit: async (services) => listen(createServer(bareListeners.limit(services))),
  echo: async () => listen(createServer(bareListeners.echo())),
};

const [, script, name, count] = process.argv;
if (!name?.endsWith('Duties')) process.on('SIGTERM', () => process.exit()); // A regular exit writes the profile.
if (script && import.meta.url === pathToFileURL(script).href) {
  const services = name === 'echo' ? undefined : await createServices(Number(count));
  console.log(`The server is ready at http://${host}:${await servers[name](services)}/graphql`);
}
