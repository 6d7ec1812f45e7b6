import { attendeeChanges } from './attendee-changes.suite.ts';
import { describeInMemory } from './stores.ts';

describeInMemory('attendeeChanges', attendeeChanges);
