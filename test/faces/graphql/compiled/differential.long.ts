import { testSameness } from './sameness.ts';

// At least 20,000 requests; `npm run test:sameness` runs this, as CI does.
testSameness(850);
