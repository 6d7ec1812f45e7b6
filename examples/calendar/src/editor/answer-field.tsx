import type { CalendarEvent } from '../calendar/week.ts';
import type { ResponseStatus } from '../gql/graphql.ts';

const answerLabels: readonly (readonly [ResponseStatus, string])[] = [
  ['accepted', 'Yes'],
  ['tentative', 'Maybe'],
  ['declined', 'No'],
];

interface AnswerFieldProps {
  readonly event: CalendarEvent;
  readonly busy: boolean;
  readonly onAnswer: (answer: ResponseStatus) => void;
}

/** Asks a guest whether they attend. An answer is saved at once, apart from the rest of the form. */
export function AnswerField({ event: { attendees, organizer }, busy, onAnswer }: AnswerFieldProps) {
  const selfAsGuest = attendees?.find(({ self }) => self);
  if (!selfAsGuest || organizer?.self !== false) return null;
  return (
    <fieldset className="answer">
      <legend>
        Are you coming? <span className="plain-words">{organizer.email} invites you.</span>
      </legend>
      <div className="buttons together">
        {answerLabels.map(([answer, label]) => (
          <button
            key={answer}
            type="button"
            aria-pressed={selfAsGuest.responseStatus === answer}
            disabled={busy}
            onClick={() => onAnswer(answer)}
          >
            {label}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
