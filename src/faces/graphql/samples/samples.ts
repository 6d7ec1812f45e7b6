import { dayOfWeek } from '../../../core/text/week.ts';
import { bucketSamples } from './bucket-samples.ts';
import { calendarSamples } from './calendar-samples.ts';
import { eventSamples, zone } from './event-samples.ts';
import { notificationSamples } from './notification-samples.ts';
import type { Day, Sample } from './sample.ts';

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

/** A sample for each root field, by resource, in the week of `now`. */
function samplesOf(now: number): readonly (readonly [name: string, samples: readonly Sample[]])[] {
  const day: Day = (afterMonday) => dayOfWeek(now, zone, afterMonday);
  return [
    ['Events', eventSamples(day)],
    ['Calendars', calendarSamples(day)],
    ['Notifications', notificationSamples],
    ['Buckets', bucketSamples],
  ];
}

/** What explorers show: a set for each resource. The first one, and the first operation of each, is the one to begin with. */
export const sampleSets = (now: number): readonly SampleSet[] =>
  samplesOf(now).map(([name, samples]) => together(name, samples));

/** All samples at once, for an explorer that shows a single document. */
export const allSamples = (now: number): SampleSet =>
  together(
    'Gateway',
    samplesOf(now).flatMap(([, samples]) => samples),
  );
