import { Check } from '../ui/field.tsx';
import type { Calendars } from './use-calendars.ts';

export function CalendarList({ calendars: { calendars, shown, toggle } }: { readonly calendars: Calendars }) {
  return (
    <section aria-labelledby="calendars">
      <h3 id="calendars">Calendars</h3>
      {calendars.map(({ id, summary }) => (
        <div key={id}>
          <Check label={summary ?? id} checked={shown.some((calendar) => calendar.id === id)} onChange={() => toggle(id)} />
        </div>
      ))}
    </section>
  );
}
