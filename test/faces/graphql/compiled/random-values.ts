import {
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLOutputType,
  isObjectType,
} from 'graphql';
import { AppError } from '../../../../src/core/errors.ts';
import { Chance } from './seeded-random.ts';

/** Strings with characters that JSON, GraphQL or UTF-8 treat specially. */
const sampleStrings = [
  '',
  'plain',
  'Grüße',
  'say "hi"',
  'back\\slash',
  'line\nbreak',
  '\u2028',
  'half \ud800',
  '😀',
  'x'.repeat(120),
];

function createRandomLeaf(type: GraphQLLeafType, chance: Chance): unknown {
  if (isEnumType(type)) return chance.pick(type.getValues()).name;
  switch (type.name) {
    case 'Int':
      return chance.pick([0, 1, -7, 250, 2147483647]);
    case 'Float':
      return chance.pick([0.5, 3, -1e21]);
    case 'Boolean':
      return chance.happens(0.5);
    case 'DateTime':
      return '2026-05-04T09:30:00Z';
    case 'ZonedDateTime':
      return '2026-05-04T09:30:00+02:00';
    case 'LocalDate':
      return '2026-05-04';
    case 'StringMap':
      return chance.pick([{}, { team: 'blue', 'a"b': '\n' }]);
    case 'JSONObject':
      return chance.pick([{}, { a: [1, { b: null }], __typename: 'kept' }]);
    default:
      return chance.pick(sampleStrings);
  }
}

/** Makes a random value of a variable. `faultRate` is the probability that a part of it is invalid. */
export function createRandomInput(
  type: GraphQLInputType,
  chance: Chance,
  faultRate: number,
  depth = 0,
): unknown {
  if (chance.happens(faultRate))
    return chance.pick<unknown>([null, 5, 1.5, 'nothing', true, {}, [], ['x'], { unknown: 1 }, [null]]);
  if (isNonNullType(type)) return createRandomInput(type.ofType, chance, faultRate, depth);
  if (chance.happens(0.1)) return null;
  if (isListType(type)) {
    if (chance.happens(0.1)) return createRandomInput(type.ofType, chance, faultRate, depth);
    return Array.from({ length: chance.nextIntegerUpTo(3) }, () =>
      createRandomInput(type.ofType, chance, faultRate, depth + 1),
    );
  }
  if (!isInputObjectType(type)) return createRandomLeaf(type, chance);
  const object: Record<string, unknown> = chance.happens(0.1) ? { __typename: 'Whatever' } : {};
  const fields = Object.values(type.getFields());
  if (chance.happens(0.3)) fields.reverse();
  for (const field of fields) {
    if (chance.happens(isNonNullType(field.type) ? 1 - faultRate : depth > 2 ? 0.1 : 0.2))
      object[field.name] = createRandomInput(field.type, chance, faultRate, depth + 1);
  }
  return object;
}

/**
 * Makes a value that no resolver should return. Lists get no promises: graphql-js drops pending ones when
 * another entry fails.
 */
function createInvalidOutput(chance: Chance, isInList: boolean): unknown {
  const rejectedPromise = Promise.reject(new AppError('NOT_FOUND', 'notFound', 'It was there a moment ago.'));
  rejectedPromise.catch(() => undefined);
  return chance.pick<() => unknown>([
    () => null,
    () => undefined,
    () => 7,
    () => 1.5,
    () => Number.NaN,
    () => 'odd',
    () => true,
    () => ({}),
    () => [],
    () => [null],
    () => new Set(['a']),
    () => 12n,
    () => new Error('a secret cause'),
    () => new AppError('CONFLICT', 'duplicate', 'There are two of them.'),
    () => () => 'called',
    ...(isInList ? [] : [() => Promise.resolve('later'), () => rejectedPromise]),
  ])();
}

/**
 * Makes a random result of a resolver, computed lazily and determined by its seed. `faultRate` is the
 * probability that a part of it is invalid or throws when read.
 */
export function createRandomOutput(
  type: GraphQLOutputType,
  seed: string,
  faultRate: number,
  isListEntry = false,
): unknown {
  const chance = new Chance(seed);
  if (chance.happens(faultRate)) return createInvalidOutput(chance, isListEntry);
  if (isNonNullType(type)) return createRandomOutput(type.ofType, `${seed}!`, faultRate, isListEntry);
  if (chance.happens(0.15) && !seed.endsWith('!')) return chance.pick([null, undefined]);
  if (isListType(type)) {
    const entries = Array.from(
      { length: chance.pick([0, 1, 2, 5, chance.happens(0.05) ? 120 : 3]) },
      (_, index) => createRandomOutput(type.ofType, `${seed}.${index}`, faultRate, true),
    );
    // The last entries may be promises, as on pages. Not in nested lists, where graphql-js drops promises too.
    const readyCount =
      isListEntry || isLeafType(type.ofType) || chance.happens(0.7)
        ? entries.length
        : chance.nextIntegerUpTo(2);
    return entries.map((entry, index) => (index < readyCount ? entry : Promise.resolve(entry)));
  }
  if (!isObjectType(type)) return createRandomLeaf(type as GraphQLLeafType, chance);
  const fields = type.getFields();
  return new Proxy(
    {},
    {
      get: (_target, name) => {
        const field = typeof name === 'string' ? fields[name] : undefined;
        if (!field) return undefined;
        if (new Chance(`${seed}.${field.name} throws`).happens(faultRate / 3))
          throw new AppError('FORBIDDEN', 'forbidden', `${field.name} is not for you.`);
        return createRandomOutput(field.type, `${seed}.${field.name}`, faultRate, isListEntry);
      },
    },
  );
}
