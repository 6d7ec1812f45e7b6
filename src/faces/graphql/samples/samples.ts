import { dayOfWeek } from '../../../core/text/week.ts';
import { calendarSamples, zone } from './calendar-samples.ts';
import type { Sample } from './sample.ts';
import { sharingSamples } from './sharing-samples.ts';
import { storageSamples } from './storage-samples.ts';

/** Samples of one resource as one document with one set of variables. */
export interface SampleSet extends Sample {
  readonly name: string;
}

/** All of them run with the one set of variables: no two share the name of one. */
function together(name: string, samples: readonly Sample[]): SampleSet {
  const documents = samples.map(({ document }) => document);
  return {
    name,
    document: ['# Each of these operations runs on the demo data.', ...documents].join('\n\n'),
    variables: Object.assign({}, ...samples.map(({ variables }) => variables)) as Sample['variables'],
  };
}

const calendarOf = (now: number): readonly Sample[] => [...calendarSamples((afterMonday) => dayOfWeek(now, zone, afterMonday)), ...sharingSamples];

/** What explorers show, in the week of `now`: a sample for each root field. The first of each set is the one to begin with. */
export const sampleSets = (now: number): readonly SampleSet[] => [together('Calendar', calendarOf(now)), together('Storage', storageSamples)];

/** All samples at once, for an explorer that shows a single document. */
export const allSamples = (now: number): SampleSet => together('Gateway', [...calendarOf(now), ...storageSamples]);
