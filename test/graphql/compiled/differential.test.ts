import { testSameness } from './sameness.ts';

// `differential.integrity.ts` runs more of them.
testSameness(100);
