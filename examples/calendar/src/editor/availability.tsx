import type { CalendarEvent } from '../calendar/week.ts';
import type { Draft } from './draft.ts';
import { useAvailability } from './use-availability.ts';

interface AvailabilityProps {
  readonly draft: Draft;
  readonly event: CalendarEvent | undefined;
  readonly zone: string;
}

/** Whether the guests have time then; advice, which never blocks the form. */
export function GuestAvailability({ draft, event, zone }: AvailabilityProps) {
  const guests = useAvailability(draft, event, zone);
  return (
    <div role="status">
      {guests.length > 0 && (
        <ul className="availability" aria-label="Guests at this time">
          {guests.map(({ email, state }) => (
            <li key={email} className={state}>
              {email}: <b>{state}</b>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
