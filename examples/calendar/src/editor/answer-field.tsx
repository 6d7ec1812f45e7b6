import type { CalendarEvent } from '../calendar/week.ts';
import type { ResponseStatus } from '../gql/graphql.ts';

const answers: readonly (readonly [ResponseStatus, string])[] = [
  ['accepted', 'Yes'],
  ['tentative', 'Maybe'],
  ['declined', 'No'],
];

interface AnswerProps {
  readonly event: CalendarEvent;
  readonly busy: boolean;
  readonly onAnswer: (answer: ResponseStatus) => void;
}

/** Whether the caller comes to what somebody else organizes; given at once, whatever else stands in the form. */
export function AnswerField({ event: { attendees, organizer }, busy, onAnswer }: AnswerProps) {
  const own = attendees?.find(({ self }) => self);
  if (!own || organizer?.self !== false) return null;
  return (
    <fieldset className="answer">
      <legend>
        Are you coming? <span className="plain-words">{organizer.email} invites you.</span>
      </legend>
      <div className="buttons together">
        {answers.map(([answer, words]) => (
          <button
            key={answer}
            type="button"
            aria-pressed={own.responseStatus === answer}
            disabled={busy}
            onClick={() => onAnswer(answer)}
          >
            {words}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
