import { describeOnPostgres } from '../event/stores.ts';
import { calendars } from './calendar.suite.ts';
import { calendarWork } from './calendar-work.suite.ts';

describeOnPostgres('calendars', calendars);
describeOnPostgres('what calendars mean for events', calendarWork);
