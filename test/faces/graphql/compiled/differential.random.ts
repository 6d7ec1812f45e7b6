import type { GatewayContext } from '../../../../src/faces/graphql/context.ts';
import { createApolloEngine } from '../../../../src/faces/graphql/apollo.ts';
import { createCompiledEngine } from '../../../../src/faces/graphql/compiled/engine.ts';
import { createRequestHandler, type Engine } from '../../../../src/faces/graphql/execute.ts';
import { createRequestAdmission } from '../../../../src/faces/graphql/request/admission.ts';
import { createDocumentReader } from '../../../../src/faces/graphql/request/documents.ts';
import type { RootInfo } from '../../../../src/faces/graphql/request/selected-fields.ts';
import {
  wrapRootResolver,
  listRootFields,
  type RootField,
} from '../../../../src/faces/graphql/root-resolvers.ts';
import { createGatewaySchema, type GatewaySchema } from '../../../../src/faces/graphql/schema.ts';
import { createAdmission } from '../../../../src/operations/context.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { allScopes } from '../../../harness.ts';
import { Chance } from './seeded-random.ts';
import { writeRandomDocument } from './random-documents.ts';
import { createRandomInput, createRandomOutput } from './random-values.ts';
import { fc } from '../../../property.ts';
import { chooseLength } from '../../../random/seed.ts';

const { schema } = createGatewaySchema();
// Nightly runs send at least 20,000 requests.
const documentCount = chooseLength(30, 850);
const requestsPerDocument = 24;

/** Calls of the resolvers during a request, and the seed and fault rate of their results. */
interface Recorder {
  readonly calls: string[];
  seed: string;
  faultRate: number;
}

/** Creates a schema whose resolvers return results that depend on the request's seed alone. */
function createFakeGateway(recorder: Recorder): GatewaySchema {
  const gateway = createGatewaySchema();
  const resolverOf =
    ({ name, type }: RootField) =>
    (_root: unknown, args: object, context: GatewayContext, { path, variableValues }: RootInfo) => {
      recorder.calls.push(JSON.stringify([path.key, name, args, variableValues]));
      const chance = new Chance(`${recorder.seed} ${path.key}`);
      if (chance.happens(0.1))
        context.writeReports.add(path.key, {
          warnings: [{ path: ['event'], reason: 'ignored', message: 'Left as it was.' }],
          guestsNotified: chance.nextIntegerUpTo(2),
        });
      const result = (): unknown => {
        if (chance.happens(recorder.faultRate * 4))
          throw chance.pick([
            new AppError('NOT_FOUND', 'notFound', 'There is no such thing.'),
            new AppError('UNAVAILABLE', 'backendError', 'Later.'),
            new Error('a secret cause'),
          ]);
        return createRandomOutput(type, `${recorder.seed} ${path.key}`, recorder.faultRate);
      };
      return chance.happens(0.3) ? result() : Promise.resolve().then(result);
    };
  for (const field of listRootFields(gateway.schema).values())
    // The schema guarantees the types of the arguments, as in root-resolvers.ts.
    field.resolve = wrapRootResolver(resolverOf(field)) as unknown as RootField['resolve'];
  return gateway;
}

/** Starts the full pipeline and the compiled engine on one fake gateway, for comparison. */
async function startBothEngines() {
  const recorder: Recorder = { calls: [], seed: '', faultRate: 0 };
  const gateway = createFakeGateway(recorder);
  const fullEngine = await createApolloEngine(gateway.schema);
  const counts = { fallback: 0, total: 0 };
  let isPriming = false;
  const countFallbacks: Engine = async (context) => {
    if (!isPriming && !context.rootReplays) counts.fallback += 1;
    // The engine compiles a document after its first response without errors.
    const result = await fullEngine(context);
    return isPriming && result.data !== undefined ? { data: {} } : result;
  };
  const admission = createAdmission(undefined);
  const readDocument = createDocumentReader(gateway.schema);
  const createHandler = (engine: Engine) =>
    createRequestHandler(
      {
        schema: gateway.schema,
        engine,
        admission,
        admit: createRequestAdmission(gateway.schema, 'open', admission, readDocument),
      },
      'all',
    );
  const [fullHandler, compiledHandler] = [
    createHandler(fullEngine),
    createHandler(createCompiledEngine(gateway.schema, countFallbacks, [])),
  ];

  const send = async (execute: typeof fullHandler, body: object, seed: string, faultRate: number) => {
    recorder.calls.length = 0;
    recorder.seed = seed;
    recorder.faultRate = faultRate;
    const loggedErrors: string[] = [];
    const writeLog = (details: object): void =>
      void loggedErrors.push(String((details as { err: unknown }).err));
    const report = { codes: [] as readonly string[] };
    const answer = await execute(
      {
        method: 'POST',
        headers: { accept: new Chance(seed).pick(['application/json', 'application/graphql-response+json']) },
        path: '/graphql',
        search: '',
        body,
      },
      {
        requestId: 'r1',
        viewer: { sub: 's', identity: 's', key: 's', scopes: new Set(allScopes) },
        address: '::1',
        log: { info: writeLog, warn: writeLog, error: writeLog },
        report,
      },
    );
    if ('events' in answer) throw new Error('no stream was asked for');
    return { answer, report, calls: [...recorder.calls], logged: loggedErrors.sort() };
  };
  return {
    counts,
    /** Runs a document without errors, so that the engine compiles it. */
    prime: async (body: object) => {
      isPriming = true;
      await send(compiledHandler, body, 'priming', 0);
      isPriming = false;
    },
    send: async (body: object, seed: string, faultProbability: number) => {
      counts.total += 1;
      return {
        expected: await send(fullHandler, body, seed, faultProbability),
        actual: await send(compiledHandler, body, seed, faultProbability),
      };
    },
  };
}

type Outcome = Awaited<ReturnType<Awaited<ReturnType<typeof startBothEngines>>['send']>>['expected'];

/** Sorts errors: those of root fields that run concurrently come in no guaranteed order. */
function normalizeOutcome({ answer, report, ...otherFields }: Outcome) {
  const { errors, ...body } = JSON.parse(answer.body) as { errors?: { path?: unknown }[] };
  if (!errors) return { ...otherFields, report, answer };
  const sortTexts = (list: readonly unknown[]): string[] => list.map((item) => JSON.stringify(item)).sort();
  return {
    ...otherFields,
    report: { ...report, codes: sortTexts(report.codes) },
    answer: { ...answer, body: JSON.stringify(body), errors: sortTexts(errors) },
  };
}

interface ResponseBody {
  readonly data?: unknown;
  readonly errors?: readonly { readonly path?: readonly (string | number)[] }[];
}

/**
 * Whether two responses differ only in how many errors they report below the same null. Once the null is certain, timing
 * decides whether further errors are reported.
 */
function differInLateErrorsOnly(expected: Outcome, actual: Outcome): boolean {
  const [expectedBody, actualBody] = [expected, actual].map(
    ({ answer }) => JSON.parse(answer.body) as ResponseBody,
  ) as [ResponseBody, ResponseBody];
  if (!expectedBody.errors || !actualBody.errors || expectedBody.errors.length === actualBody.errors.length)
    return false;
  const hasSameResult =
    JSON.stringify([expectedBody.data, expected.answer.status, expected.answer.headers, expected.calls]) ===
    JSON.stringify([actualBody.data, actual.answer.status, actual.answer.headers, actual.calls]);
  const groupByNull = (body: ResponseBody): Map<string, string[]> => {
    const errorsByNull = new Map<string, string[]>();
    for (const error of body.errors ?? []) {
      const nullPath = nullPathAbove(body.data, error.path ?? []);
      errorsByNull.set(nullPath, [...(errorsByNull.get(nullPath) ?? []), JSON.stringify(error)]);
    }
    return errorsByNull;
  };
  const [expectedErrors, actualErrors] = [groupByNull(expectedBody), groupByNull(actualBody)];
  const isSubset = (smallerList: readonly string[], largerList: readonly string[]): boolean =>
    smallerList.length > 0 && smallerList.every((error) => largerList.includes(error));
  return (
    hasSameResult &&
    expectedErrors.size === actualErrors.size &&
    [...expectedErrors].every(([pathOfNull, errors]) => {
      const otherErrors = actualErrors.get(pathOfNull) ?? [];
      return errors.length < otherErrors.length
        ? isSubset(errors, otherErrors)
        : isSubset(otherErrors, errors);
    })
  );
}

/** The path of the null in `data` on the way to an error's path. */
function nullPathAbove(data: unknown, path: readonly (string | number)[]): string {
  let value = data;
  for (const [index, step] of path.entries()) {
    if (value === null || value === undefined) return path.slice(0, index).join('.');
    value = (value as Record<string, unknown>)[step];
  }
  return path.join('.');
}

test(`compiled operations respond as the full pipeline does: ${documentCount} documents, ${documentCount * requestsPerDocument} requests`, async () => {
  const engines = await startBothEngines();
  const property = fc.asyncProperty(fc.integer(), async (seed) => {
    const chance = new Chance(seed);
    const { query, variables } = writeRandomDocument(schema, chance);
    const createBody = (inputFaultRate: number) => ({
      query,
      variables: Object.fromEntries(
        variables.flatMap(({ name, type }) =>
          chance.happens(0.1) ? [] : [[name, createRandomInput(type, chance, inputFaultRate)]],
        ),
      ),
    });
    for (let tries = 0; tries < 3; tries += 1) await engines.prime(createBody(0));
    for (let request = 0; request < requestsPerDocument; request += 1) {
      const { expected, actual } = await engines.send(
        createBody(chance.pick([0, 0, 0.02])),
        `${seed} ${request}`,
        chance.pick([0, 0, 0.01, 0.05]),
      );
      if (!differInLateErrorsOnly(expected, actual))
        expect(normalizeOutcome(actual)).toEqual(normalizeOutcome(expected));
    }
  });
  await fc.assert(property, { numRuns: documentCount, endOnFailure: true, examples: [[-8]] });
  // Most requests ran compiled.
  expect(engines.counts.fallback / engines.counts.total).toBeLessThan(0.5);
});
