// The tests of an event's rules in one file: for each mutant the modules are read once. Those of many random bodies and of
// the whole table say less in more time.
import '../event/attendees.test.ts';
import '../event/conference.test.ts';
import '../event/copies.test.ts';
import '../event/creation.test.ts';
import '../event/errors.test.ts';
import '../event/fields.test.ts';
import '../event/hidden-guests.test.ts';
import '../event/import.test.ts';
import '../event/instances.test.ts';
import '../event/list.test.ts';
import '../event/notices.test.ts';
import '../event/oddities.test.ts';
import '../event/permissions.test.ts';
import '../event/recurrence.test.ts';
import '../event/states.test.ts';
import '../event/time.test.ts';
import '../event/times.test.ts';
