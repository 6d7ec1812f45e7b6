import { attendeeChanges } from '../../event/attendee-changes.suite.ts';
import { freeBusy } from '../../event/free-busy.suite.ts';
import { rightLists } from '../../event/right-lists.suite.ts';
import { seenByWhom } from '../../event/seen-by-whom.suite.ts';
import { describeThrough } from './through-suite.ts';

describeThrough('attendeeChanges', attendeeChanges);
describeThrough('a caller', seenByWhom);
describeThrough('lists', rightLists);
describeThrough('free and busy times', freeBusy);
