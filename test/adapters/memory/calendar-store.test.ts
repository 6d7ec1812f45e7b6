import { createMemoryCalendarStore } from '../../../src/adapters/memory/calendar-store.ts';
import { calendarStoreContract } from '../../contracts/calendar-store.contract.ts';

calendarStoreContract('the memory', (clock) => createMemoryCalendarStore({ clock }));
