import type { CalendarEvent } from '../calendar/event-times.ts';
import type { Draft } from './draft.ts';
import { useAvailability } from './use-availability.ts';

interface AvailabilityProps {
  readonly draft: Draft;
  readonly event: CalendarEvent | undefined;
  readonly zone: string;
}

/** Lists which guests are free at the times of the form. It never prevents saving. */
export function GuestAvailability({ draft, event, zone }: AvailabilityProps) {
  const availabilities = useAvailability(draft, event, zone);
  return (
    <div role="status">
      {availabilities.length > 0 && (
        <ul className="availability" aria-label="Guests at this time">
          {availabilities.map(({ email, state }) => (
            <li key={email} className={state}>
              {email}: <b>{state}</b>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
