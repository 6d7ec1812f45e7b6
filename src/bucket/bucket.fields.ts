import * as z from 'zod/mini';
import { type Body, compileTable, type FieldTable, email, flag } from '../core/fields/table.ts';

export const limits = {
  name: { min: 3, max: 63 },
  maxManagers: 100,
  pageSize: { default: 250, max: 1000 },
} as const;

const { min: minNameLength, max: maxNameLength } = limits.name;
const ipv4 = z.ipv4();

/** Creates a rule of names. Empty names are only reported for their length. */
const nameRule = (isValid: (name: string) => boolean, error: string) =>
  z.refine<string>((name) => name === '' || isValid(name), { error, params: { reason: 'invalid' } });
/** Message for a name that is too short or too long. */
const lengthMessage = (name: string): string =>
  `A bucket's name has ${minNameLength} to ${maxNameLength} characters; this one has ${name.length}.`;

const nameSchema = z.string().check(
  z.refine((value) => value.length >= minNameLength, {
    error: ({ input }) => lengthMessage(input as string),
    params: { reason: 'invalid', params: limits.name },
  }),
  z.refine((value) => value.length <= maxNameLength, {
    error: ({ input }) => lengthMessage(input as string),
    params: { reason: 'tooLong', max: maxNameLength },
  }),
  nameRule(
    (value) => /^[a-z0-9._-]*$/.test(value),
    "A bucket's name is written with a to z, 0 to 9, and . _ - only. Choose a name without other characters.",
  ),
  nameRule(
    (value) => !/^[._-]|[._-]$/.test(value),
    "A bucket's name begins and ends with a letter or a digit.",
  ),
  nameRule(
    (value) => !value.includes('..'),
    "A bucket's name has no two dots in a row. Leave one out, or write - between them.",
  ),
  nameRule(
    (value) => !ipv4.safeParse(value).success,
    "A bucket's name must not be an IPv4 address. Choose a name with a letter in it.",
  ),
  nameRule(
    (value) => !value.includes('goog'),
    'Names with "goog" in them are reserved: choose another name.',
  ),
  z.describe(`${minNameLength} to ${maxNameLength} characters of a-z, 0-9, . _ -`),
);

const readOnlyField = { change: 'readOnly', storedIn: 'computed' } as const;
const sharedField = { change: 'shared', storedIn: 'bucket' } as const;

const bucketRows = {
  kind: readOnlyField,
  id: readOnlyField,
  nodeId: readOnlyField,
  name: { change: 'immutable', storedIn: 'bucket', value: nameSchema },
  project: readOnlyField,
  etag: readOnlyField,
  selfLink: readOnlyField,
  metageneration: readOnlyField,
  timeCreated: { ...readOnlyField, isInstant: true },
  updated: { ...readOnlyField, isInstant: true },
  billing: sharedField,
  'billing.requesterPays': { default: false, value: flag },
  'managers[]': { ...sharedField, value: email, max: { entries: limits.maxManagers, label: 'managers' } },
} as const satisfies FieldTable<'bucket'>;

/** Fields of a bucket: who may change each, its default, and its limits. */
export const bucketTable = compileTable(bucketRows);

/** Stored fields of a bucket that callers set; unset ones are absent. */
export type BucketFields = Pick<Body<typeof bucketRows>, 'name' | 'billing' | 'managers'>;
