// Servers that do what the gateway does in production, with common packages: the same log line, a rate limit
// per caller, metrics, and a graceful shutdown. Mercurius also limits depth and cost.
import { createHash, randomUUID } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import closeWithGrace from 'close-with-grace';
import Fastify, { LogController } from 'fastify';
import { getNamedType, GraphQLError, isListType, isNonNullType, isObjectType, parse } from 'graphql';
import mercurius from 'mercurius';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { createResponder } from './bare-servers.js';

const maxRequestsPerMinute = 999_999_999; // Counted but never reached, as with the gateway.
const maxDepth = 20;
const maxCost = 1_000_000;
/** Assumed number of entries of a list in the cost. */
const assumedListSize = 50;
const maxCachedDocuments = 1000;
const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** Serves a schema at `/graphql`, by mercurius with jit; resolves to the port. */
export const serveWithDuties = ({ schema, verify, createContext }) =>
  serve(verify, (app) =>
    app.register(mercurius, {
      schema,
      jit: 1,
      queryDepth: maxDepth,
      validationRules: [limitCost],
      context: ({ viewer }) => createContext(viewer),
      errorFormatter: (execution, context) => {
        for (const { originalError } of execution.errors ?? [])
          context.reply.request.codes.push(originalError?.code ?? 'GRAPHQL_VALIDATION_FAILED');
        return mercurius.defaultErrorFormatter(execution, context);
      },
    }),
  );

/**
 * Serves by direct service calls without GraphQL: the lower bound for a server that also logs, limits rates,
 * counts and shuts down gracefully.
 */
export const limitWithDuties = (services) =>
  serve(services.verify, (app) => {
    const createBody = createResponder(services);
    app.post('/graphql', async ({ body, viewer }, reply) =>
      reply.type('application/json').send(await createBody(body, viewer)),
    );
  });

/**
 * Starts a server with log, rate limit, metrics and graceful shutdown; resolves to the port. `addHandler`:
 * adds the handler of `/graphql`.
 */
async function serve(verify, addHandler) {
  const app = Fastify({
    logger: true,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
  });
  const describeOperation = createOperationDescriber();
  app.decorateRequest('viewer', null).decorateRequest('codes', null);
  app.addHook('onRequest', async (request) => {
    request.codes = [];
    request.viewer = await verify(request.headers.authorization);
  });
  observeRequests(app, describeOperation);
  await app.register(rateLimit, {
    max: maxRequestsPerMinute,
    timeWindow: '1 minute',
    keyGenerator: ({ viewer }) => viewer.key,
  });
  await addHandler(app);
  closeWithGrace({ delay: 9000 }, () => app.close());
  return new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port;
}

/** Logs and counts each response. */
function observeRequests(app, describeOperation) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requestCounter = new Counter({
    name: 'graphql_requests_total',
    help: 'Answered operations.',
    labelNames: ['kind', 'root_field', 'code'],
    registers,
  });
  const durationHistogram = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to the answer.',
    labelNames: ['route', 'status'],
    buckets: durationBucketsSeconds,
    registers,
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  app.addHook('onResponse', async (request, reply) => {
    const { id, method, url, viewer, codes, body, routeOptions } = request;
    const { kind, operation, hash, field } = describeOperation(body);
    const [status, ms] = [reply.statusCode, reply.elapsedTime];
    durationHistogram.observe({ route: routeOptions.url, status }, ms / 1000);
    requestCounter.inc({ kind, root_field: field, code: codes[0] ?? 'OK' });
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

/** Creates a function that describes an operation for the log. Parses each document once. */
function createOperationDescriber() {
  const descriptions = new Map();
  return (body) => {
    const query = body?.query;
    if (typeof query !== 'string') return {};
    let description = descriptions.get(query);
    if (!description) {
      const [{ operation: kind, name, selectionSet }] = parse(query).definitions;
      description = {
        kind,
        operation: name?.value,
        hash: createHash('sha256').update(query).digest('hex'),
        field: selectionSet.selections[0].name.value,
      };
      if (descriptions.size >= maxCachedDocuments) descriptions.delete(descriptions.keys().next().value);
      descriptions.set(query, description);
    }
    return description;
  };
}

/** Validation rule for the cost: each field counts 1, multiplied by the assumed sizes of the lists around it. */
function limitCost(context) {
  // `multiplier`: the product of the assumed sizes of the lists around the current field.
  let [cost, multiplier, isRefused] = [0, 1, false];
  const assumedSizeOf = (field) => {
    const type = isNonNullType(field?.type) ? field.type.ofType : field?.type;
    return isListType(type) && isObjectType(getNamedType(type)) ? assumedListSize : 1;
  };
  return {
    Field: {
      enter(node) {
        cost += multiplier;
        multiplier *= assumedSizeOf(context.getFieldDef());
        if (cost <= maxCost || isRefused) return;
        isRefused = true;
        context.reportError(new GraphQLError('This operation costs too much.', { nodes: node }));
      },
      leave: () => void (multiplier /= assumedSizeOf(context.getFieldDef())),
    },
  };
}
