import { describeInMemory } from '../event/stores.ts';
import { calendars } from './calendar.suite.ts';
import { calendarWork } from './calendar-work.suite.ts';

describeInMemory('calendars', calendars);
describeInMemory('what calendars mean for events', calendarWork);
