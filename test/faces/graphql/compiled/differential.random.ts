import type { GatewayContext } from '../../../../src/faces/graphql/context.ts';
import { createApolloEngine } from '../../../../src/faces/graphql/apollo.ts';
import { createCompiledEngine } from '../../../../src/faces/graphql/compiled/engine.ts';
import { createExecute, type Engine } from '../../../../src/faces/graphql/execute.ts';
import { createDocumentAdmission } from '../../../../src/faces/graphql/request/admission.ts';
import { createDocumentReader } from '../../../../src/faces/graphql/request/documents.ts';
import type { RootInfo } from '../../../../src/faces/graphql/request/selected-fields.ts';
import { runOnce, rootFields, type RootField } from '../../../../src/faces/graphql/root-fields.ts';
import { createGateway, type Gateway } from '../../../../src/faces/graphql/schema.ts';
import { createAdmission } from '../../../../src/operations/context.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { allScopes } from '../../../harness.ts';
import { Chance } from './chance.ts';
import { documentOf } from './documents.ts';
import { inputOf, outputOf } from './values.ts';
import { fc } from '../../../property.ts';
import { historyLength } from '../../../random/seed.ts';

const { schema } = createGateway();
// A long one sends at least 20,000 requests.
const documents = historyLength(30, 850);
const requestsPerDocument = 24;

/** Result of one request, and the selections that its resolvers got. */
interface Seen {
  readonly calls: string[];
  seed: string;
  faults: number;
}

/** A gateway whose resolvers come to whatever the seed of a request says. */
function fakeGateway(seen: Seen): Gateway {
  const gateway = createGateway();
  const resolverOf =
    ({ name, type }: RootField) =>
    (_root: unknown, args: object, context: GatewayContext, { path, variableValues }: RootInfo) => {
      seen.calls.push(JSON.stringify([path.key, name, args, variableValues]));
      const chance = new Chance(`${seen.seed} ${path.key}`);
      if (chance.is(0.1))
        context.notes.add(path.key, {
          warnings: [{ path: ['event'], reason: 'ignored', message: 'Left as it was.' }],
          guestsNotified: chance.upTo(2),
        });
      const result = (): unknown => {
        if (chance.is(seen.faults * 4))
          throw chance.of([
            new AppError('NOT_FOUND', 'notFound', 'There is no such thing.'),
            new AppError('UNAVAILABLE', 'backendError', 'Later.'),
            new Error('a secret cause'),
          ]);
        return outputOf(type, `${seen.seed} ${path.key}`, seen.faults);
      };
      return chance.is(0.3) ? result() : Promise.resolve().then(result);
    };
  for (const field of rootFields(gateway.schema).values())
    // As in root-fields.ts: arguments have the types of the schema.
    field.resolve = runOnce(resolverOf(field)) as unknown as RootField['resolve'];
  return gateway;
}

async function startBoth() {
  const seen: Seen = { calls: [], seed: '', faults: 0 };
  const gateway = fakeGateway(seen);
  const { engine: full } = await createApolloEngine(gateway, { explorer: false });
  const counts = { left: 0, all: 0 };
  let priming = false;
  const next: Engine = async (context) => {
    if (!priming && !context.outcomes) counts.left += 1;
    // The first answer of a document that fits has no error: it is compiled then.
    const result = await full(context);
    return priming && result.data !== undefined ? { data: {} } : result;
  };
  const admission = createAdmission(undefined);
  const known = createDocumentReader();
  const executeWith = (engine: Engine) =>
    createExecute(
      {
        schema: gateway.schema,
        engine,
        subscribe: () => Promise.reject(new Error('no subscription is asked for')),
        openMeter: admission.openMeter,
        introspection: 'off',
        admit: createDocumentAdmission({
          ...gateway,
          admission,
          introspection: 'open',
          readDocument: known,
        }),
      },
      'all',
    );
  const [plain, compiled] = [executeWith(full), executeWith(createCompiledEngine(gateway.schema, next, []))];

  const ask = async (execute: typeof plain, body: object, seed: string, faults: number) => {
    seen.calls.length = 0;
    Object.assign(seen, { seed, faults });
    const logged: string[] = [];
    const write = (details: object): void => void logged.push(String((details as { err: unknown }).err));
    const report = { codes: [] as readonly string[] };
    const answer = await execute(
      {
        method: 'POST',
        headers: { accept: new Chance(seed).of(['application/json', 'application/graphql-response+json']) },
        path: '/graphql',
        search: '',
        body,
      },
      {
        requestId: 'r1',
        viewer: { sub: 's', identity: 's', key: 's', scopes: new Set(allScopes) },
        address: '::1',
        log: { info: write, warn: write, error: write },
        report,
      },
    );
    if ('events' in answer) throw new Error('no stream was asked for');
    return { answer, report, calls: [...seen.calls], logged: logged.sort() };
  };
  return {
    counts,
    prime: async (body: object) => {
      priming = true;
      await ask(compiled, body, 'priming', 0);
      priming = false;
    },
    ask: async (body: object, seed: string, faults: number) => {
      counts.all += 1;
      return {
        expected: await ask(plain, body, seed, faults),
        actual: await ask(compiled, body, seed, faults),
      };
    },
  };
}

type Outcome = Awaited<ReturnType<Awaited<ReturnType<typeof startBoth>>['ask']>>['expected'];

/** Errors of root fields that run together come in the order in which those fail, which is nobody's promise. */
function comparable({ answer, report, ...rest }: Outcome) {
  const { errors, ...body } = JSON.parse(answer.body) as { errors?: { path?: unknown }[] };
  if (!errors) return { ...rest, report, answer };
  const sorted = (list: readonly unknown[]): string[] => list.map((one) => JSON.stringify(one)).sort();
  return {
    ...rest,
    report: { ...report, codes: sorted(report.codes) },
    answer: { ...answer, body: JSON.stringify(body), errors: sorted(errors) },
  };
}

interface Told {
  readonly data?: unknown;
  readonly errors?: readonly { readonly path?: readonly (string | number)[] }[];
}

/**
 * Whether two answers differ only in errors beside another one below the same null. What fails there once the null is
 * certain is told or not by how long it took: a promise that was waited for before is faster.
 */
function differInLateErrorsAlone(expected: Outcome, actual: Outcome): boolean {
  const [one, other] = [expected, actual].map(({ answer }) => JSON.parse(answer.body) as Told) as [
    Told,
    Told,
  ];
  if (!one.errors || !other.errors || one.errors.length === other.errors.length) return false;
  const same =
    JSON.stringify([one.data, expected.answer.status, expected.answer.headers, expected.calls]) ===
    JSON.stringify([other.data, actual.answer.status, actual.answer.headers, actual.calls]);
  const places = (told: Told): Map<string, string[]> => {
    const found = new Map<string, string[]>();
    for (const error of told.errors ?? []) {
      const place = nullAbove(told.data, error.path ?? []);
      found.set(place, [...(found.get(place) ?? []), JSON.stringify(error)]);
    }
    return found;
  };
  const [left, right] = [places(one), places(other)];
  const isPart = (few: readonly string[], many: readonly string[]): boolean =>
    few.length > 0 && few.every((error) => many.includes(error));
  return (
    same &&
    left.size === right.size &&
    [...left].every(([place, errors]) => {
      const others = right.get(place) ?? [];
      return errors.length < others.length ? isPart(errors, others) : isPart(others, errors);
    })
  );
}

/** The path of the null of the data that a path ends at or leads through. */
function nullAbove(data: unknown, path: readonly (string | number)[]): string {
  let value = data;
  for (const [index, step] of path.entries()) {
    if (value === null || value === undefined) return path.slice(0, index).join('.');
    value = (value as Record<string, unknown>)[step];
  }
  return path.join('.');
}

test(`operations that were compiled answer as the full pipeline does: ${documents} documents, ${documents * requestsPerDocument} requests`, async () => {
  const both = await startBoth();
  const property = fc.asyncProperty(fc.integer(), async (seed) => {
    const chance = new Chance(seed);
    const { query, variables } = documentOf(schema, chance);
    const bodyOf = (faults: number) => ({
      query,
      variables: Object.fromEntries(
        variables.flatMap(({ name, type }) =>
          chance.is(0.1) ? [] : [[name, inputOf(type, chance, faults)]],
        ),
      ),
    });
    for (let tries = 0; tries < 3; tries += 1) await both.prime(bodyOf(0));
    for (let request = 0; request < requestsPerDocument; request += 1) {
      const { expected, actual } = await both.ask(
        bodyOf(chance.of([0, 0, 0.02])),
        `${seed} ${request}`,
        chance.of([0, 0, 0.01, 0.05]),
      );
      if (!differInLateErrorsAlone(expected, actual))
        expect(comparable(actual)).toEqual(comparable(expected));
    }
  });
  await fc.assert(property, { numRuns: documents, endOnFailure: true, examples: [[-8]] });
  // Most of them ran as compiled ones.
  expect(both.counts.left / both.counts.all).toBeLessThan(0.5);
});
