import type { CalendarEvent } from '../calendar/event-times.ts';
import type { ResponseStatus } from '../gql/graphql.ts';
import { Button } from '../ui/button.tsx';

/** Responses that a guest can choose, with their buttons. */
const responseLabels: readonly (readonly [ResponseStatus, string])[] = [
  ['accepted', 'Yes'],
  ['tentative', 'Maybe'],
  ['declined', 'No'],
];

interface ResponseFieldProps {
  readonly event: CalendarEvent;
  readonly isBusy: boolean;
  readonly onRespond: (response: ResponseStatus) => void;
}

/** Asks a guest whether they attend. A response is saved at once, apart from the rest of the form. */
export function ResponseField({ event: { attendees, organizer }, isBusy, onRespond }: ResponseFieldProps) {
  const selfAsGuest = attendees?.find(({ self }) => self);
  if (!selfAsGuest || organizer?.self !== false) return null;
  return (
    <fieldset className="answer">
      <legend>
        Are you coming? <span className="plain-words">{organizer.email} invites you.</span>
      </legend>
      <div className="buttons together">
        {responseLabels.map(([responseStatus, label]) => (
          <Button
            key={responseStatus}
            aria-pressed={selfAsGuest.responseStatus === responseStatus}
            disabled={isBusy}
            onClick={() => onRespond(responseStatus)}
          >
            {label}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
