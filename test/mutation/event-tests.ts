// Tests of an event's rules in one file, so that each mutant loads the modules once. Slow tests with random bodies and of
// the whole field table are left out: they detect few mutants.
import '../event/attendees.test.ts';
import '../event/conference.test.ts';
import '../event/copies.test.ts';
import '../event/creation.test.ts';
import '../event/errors.test.ts';
import '../event/fields.test.ts';
import '../event/hidden-guests.test.ts';
import '../event/file-import.test.ts';
import '../event/instances.test.ts';
import '../event/list.test.ts';
import '../event/notices.test.ts';
import '../event/invalid-stored-values.test.ts';
import '../event/permissions.test.ts';
import '../event/recurrence.test.ts';
import '../event/status-and-sequence.test.ts';
import '../event/time-parsing.test.ts';
import '../event/times.test.ts';
