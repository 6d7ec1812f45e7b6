import { following } from './following.suite.ts';
import { followingNamed } from './following-named.suite.ts';
import { describeInMemory } from './stores.ts';

describeInMemory('a series that is changed from an instance on', following);
describeInMemory('the instance from which on a series is changed', followingNamed);
