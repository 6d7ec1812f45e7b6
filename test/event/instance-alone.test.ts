import { instanceAlone } from './instance-alone.suite.ts';
import { describeInMemory } from './stores.ts';

describeInMemory('who was taken off a series and is invited to an instance', instanceAlone);
