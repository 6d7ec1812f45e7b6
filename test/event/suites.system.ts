import { attendeeChanges } from './attendee-changes.suite.ts';
import { following } from './following.suite.ts';
import { followingNamed } from './following-named.suite.ts';
import { freeBusy } from './free-busy.suite.ts';
import { instanceAlone } from './instance-alone.suite.ts';
import { rightLists } from './right-lists.suite.ts';
import { seenByWhom } from './seen-by-whom.suite.ts';
import { describeOnPostgres } from './stores.ts';

describeOnPostgres('attendeeChanges', attendeeChanges);
describeOnPostgres('a series that is changed from an instance on', following);
describeOnPostgres('the instance from which on a series is changed', followingNamed);
describeOnPostgres('a caller', seenByWhom);
describeOnPostgres('lists', rightLists);
describeOnPostgres('who was taken off a series and is invited to an instance', instanceAlone);
describeOnPostgres('free and busy times', freeBusy);
