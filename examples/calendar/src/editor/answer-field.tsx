import type { CalendarEvent } from '../calendar/week.ts';
import type { ResponseStatus } from '../gql/graphql.ts';

const responseLabels: readonly (readonly [ResponseStatus, string])[] = [
  ['accepted', 'Yes'],
  ['tentative', 'Maybe'],
  ['declined', 'No'],
];

interface ResponseFieldProps {
  readonly event: CalendarEvent;
  readonly busy: boolean;
  readonly onRespond: (answer: ResponseStatus) => void;
}

/** Asks a guest whether they attend. A response is saved at once, apart from the rest of the form. */
export function ResponseField({ event: { attendees, organizer }, busy, onRespond }: ResponseFieldProps) {
  const selfAsGuest = attendees?.find(({ self }) => self);
  if (!selfAsGuest || organizer?.self !== false) return null;
  return (
    <fieldset className="answer">
      <legend>
        Are you coming? <span className="plain-words">{organizer.email} invites you.</span>
      </legend>
      <div className="buttons together">
        {responseLabels.map(([answer, label]) => (
          <button
            key={answer}
            type="button"
            aria-pressed={selfAsGuest.responseStatus === answer}
            disabled={busy}
            onClick={() => onRespond(answer)}
          >
            {label}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
