import { testSameness } from './sameness.ts';

// `differential.long.ts` runs more of them.
testSameness(30);
