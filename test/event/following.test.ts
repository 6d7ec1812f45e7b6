import { following } from './following.suite.ts';
import { describeInMemory } from './stores.ts';

describeInMemory('a series that is changed from an instance on', following);
