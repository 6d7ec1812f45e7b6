import { historyLength } from '../../../random/seed.ts';
import { testSameness } from './sameness.ts';

// A long one sends at least 20,000 requests.
testSameness(historyLength(30, 850));
