import { testSameness } from './sameness.ts';

// At least 20,000 requests; `npm run test:integrity` runs this, as CI does.
testSameness(850);
