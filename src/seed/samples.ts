import { readFileSync } from 'node:fs';
import { Temporal } from 'temporal-polyfill';
import { dayOfWeek } from '../core/text/week.ts';

/** Operations on one resource as one document, with one set of variables for all of them. */
export interface SampleSet {
  readonly name: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The first set, and the first operation of each, is the one to begin with. */
const names = ['Events', 'Calendars', 'Notifications', 'Buckets'];

/** The time zone of the demo's user. */
const zone = 'Europe/Berlin';

const readSampleFile = (file: string): string =>
  readFileSync(new URL(`../../schema/samples/${file}`, import.meta.url), 'utf8');

const documents = names.map((name) => ({
  name,
  document: readSampleFile(`${name.toLowerCase()}.graphql`).trimEnd(),
}));
const variablesText = readSampleFile('variables.json');

/**
 * Returns the samples that explorers show, a set for each resource and an operation for each root field. In their variables
 * `{+3}` stands for a date, 3 days after Monday of the week of `now`, and `{+3T09:00 in UTC}` for the instant of this local
 * time, as ids of instances have it.
 */
export function sampleSets(now: number): readonly SampleSet[] {
  const json = variablesText.replaceAll(
    /\{\+(\d+)(T\d\d:\d\d in UTC)?\}/g,
    (_placeholder, days: string, time: string | undefined) => {
      const date = dayOfWeek(now, zone, Number(days));
      if (time === undefined) return date;
      const local = Temporal.PlainDateTime.from(`${date}${time.slice(0, 6)}`);
      return local.toZonedDateTime(zone).toInstant().toString().replaceAll(/[-:]/g, '');
    },
  );
  const variables = JSON.parse(json) as Readonly<Record<string, SampleSet['variables']>>;
  return documents.map((sample) => ({ ...sample, variables: variables[sample.name] ?? {} }));
}

/** All samples at once, for an explorer that shows a single document: no two variables share a name. */
export function allSamples(now: number): SampleSet {
  const sets = sampleSets(now);
  return {
    name: 'Gateway',
    document: sets.map(({ document }) => document).join('\n\n'),
    variables: Object.assign({}, ...sets.map(({ variables }) => variables)) as SampleSet['variables'],
  };
}
