import { seenByWhom } from './seen-by-whom.suite.ts';
import { describeInMemory } from './stores.ts';

describeInMemory('a caller', seenByWhom);
