import { describeInMemory } from '../event/stores.ts';
import { calendars } from './calendar.suite.ts';

describeInMemory('calendars', calendars);
