import { freeBusy } from './free-busy.suite.ts';
import { describeInMemory } from './stores.ts';

describeInMemory('free and busy times', freeBusy);
