import { rightLists } from './right-lists.suite.ts';
import { describeInMemory } from './stores.ts';

describeInMemory('lists', rightLists);
