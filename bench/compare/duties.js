// Servers that do what the gateway does for each request in production, as their users would have them do it: the log line with
// the same fields, a rate limit of each caller, metrics, and an end that lets requests finish; mercurius limits depth and cost, too.
import { createHash, randomUUID } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import closeWithGrace from 'close-with-grace';
import Fastify, { LogController } from 'fastify';
import { getNamedType, GraphQLError, isListType, isNonNullType, isObjectType, parse } from 'graphql';
import mercurius from 'mercurius';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { answererOf } from './bare.js';

const requestsPerMinute = 999_999_999; // counted, and never reached, as with the gateway
const maxDepth = 20;
const maxCost = 1_000_000;
/** How many entries a list counts for. */
const listSize = 50;
const maxDocuments = 1000;
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** Serves a schema at `/graphql`, by mercurius with jit; resolves to the port. */
export const serveWithDuties = ({ schema, verify, contextFor }) =>
  serve(verify, (app) =>
    app.register(mercurius, {
      schema,
      jit: 1,
      queryDepth: maxDepth,
      validationRules: [costLimit],
      context: ({ viewer }) => contextFor(viewer),
      errorFormatter: (execution, context) => {
        for (const { originalError } of execution.errors ?? [])
          context.reply.request.codes.push(originalError?.code ?? 'GRAPHQL_VALIDATION_FAILED');
        return mercurius.defaultErrorFormatter(execution, context);
      },
    }),
  );

/** Answers by the services themselves, without GraphQL: the least that the duties leave. */
export const limitWithDuties = (services) =>
  serve(services.verify, (app) => {
    const answer = answererOf(services);
    app.post('/graphql', async ({ body, viewer }, reply) =>
      reply.type('application/json').send(await answer(body, viewer)),
    );
  });

async function serve(verify, register) {
  const app = Fastify({
    logger: true,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
  });
  const nameOf = createNamer();
  app.decorateRequest('viewer', null).decorateRequest('codes', null);
  app.addHook('onRequest', async (request) => {
    request.codes = [];
    request.viewer = await verify(request.headers.authorization);
  });
  watch(app, nameOf);
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: '1 minute',
    keyGenerator: ({ viewer }) => viewer.key,
  });
  await register(app);
  closeWithGrace({ delay: 9000 }, () => app.close());
  return new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port;
}

/** A log line and metrics for each answered request. */
function watch(app, nameOf) {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const answered = new Counter({
    name: 'graphql_requests_total',
    help: 'Answered operations.',
    labelNames: ['kind', 'root_field', 'code'],
    registers,
  });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to the answer.',
    labelNames: ['route', 'status'],
    buckets,
    registers,
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(register.contentType).send(await register.metrics()),
  );
  app.addHook('onResponse', async (request, reply) => {
    const { id, method, url, viewer, codes, body, routeOptions } = request;
    const { kind, operation, hash, field } = nameOf(body);
    const [status, ms] = [reply.statusCode, reply.elapsedTime];
    duration.observe({ route: routeOptions.url, status }, ms / 1000);
    answered.inc({ kind, root_field: field, code: codes[0] ?? 'OK' });
    const [path] = url.split('?');
    app.log.info(
      {
        requestId: id,
        method,
        path,
        status,
        ms: Math.round(ms * 10) / 10,
        kind,
        operation,
        hash,
        subject: viewer?.sub,
        codes,
      },
      'request',
    );
  });
}

/** What the log says of an operation; each document is parsed once. */
function createNamer() {
  const known = new Map();
  return (body) => {
    const query = body?.query;
    if (typeof query !== 'string') return {};
    let named = known.get(query);
    if (!named) {
      const [{ operation: kind, name, selectionSet }] = parse(query).definitions;
      named = {
        kind,
        operation: name?.value,
        hash: createHash('sha256').update(query).digest('hex'),
        field: selectionSet.selections[0].name.value,
      };
      if (known.size >= maxDocuments) known.delete(known.keys().next().value);
      known.set(query, named);
    }
    return named;
  };
}

/** A validation rule: each field costs 1, as often as the lists around it may have entries. */
function costLimit(context) {
  let [cost, times, refused] = [0, 1, false];
  const weightOf = (field) => {
    const type = isNonNullType(field?.type) ? field.type.ofType : field?.type;
    return isListType(type) && isObjectType(getNamedType(type)) ? listSize : 1;
  };
  return {
    Field: {
      enter(node) {
        cost += times;
        times *= weightOf(context.getFieldDef());
        if (cost <= maxCost || refused) return;
        refused = true;
        context.reportError(new GraphQLError('This operation costs too much.', { nodes: node }));
      },
      leave: () => void (times /= weightOf(context.getFieldDef())),
    },
  };
}
