import { useState, type FormEvent, type ReactNode } from 'react';
import type { CalendarEvent } from '../calendar/week.ts';
import { Dialog } from '../ui/dialog.tsx';
import type { Scope } from './save-change.ts';

export type { Scope } from './save-change.ts';

type What = 'change' | 'delete' | 'answer';

interface AskOptions {
  readonly scopes?: readonly Scope[];
  /** Whether the change keeps the start of each event. */
  readonly sameStart?: boolean;
}

interface Question extends Required<AskOptions> {
  readonly what: What;
  readonly answer: (scope: Scope | undefined) => void;
}

/** Asks how much of a series to change. The answer is undefined to cancel, and `this` at once for a single event. */
export function useScope(): {
  ask: (event: CalendarEvent, what: What, options?: AskOptions) => Promise<Scope | undefined>;
  dialog: ReactNode;
} {
  const [question, setQuestion] = useState<Question>();
  const ask = (
    event: CalendarEvent,
    what: What,
    { scopes = ['this', 'following', 'all'], sameStart = false }: AskOptions = {},
  ): Promise<Scope | undefined> => {
    if (!event.recurringEventId) return Promise.resolve('this');
    // A guest's copy is not divided: the series is the organizer's.
    const isGuests = event.organizer?.self === false || what === 'answer';
    return new Promise((resolve) => {
      const answer = (scope: Scope | undefined): void => {
        setQuestion(undefined);
        resolve(scope);
      };
      setQuestion({
        what,
        sameStart,
        scopes: scopes.filter((scope) => !(isGuests && scope === 'following')),
        answer,
      });
    });
  };
  return { ask, dialog: question && <ScopeDialog {...question} /> };
}

const titles: Readonly<Record<What, string>> = {
  change: 'Change a repeating event',
  delete: 'Delete a repeating event',
  answer: 'Answer a repeating event',
};
const buttons: Readonly<Record<What, string>> = { change: 'Change', delete: 'Delete', answer: 'Answer' };
const names: Readonly<Record<Scope, string>> = {
  this: 'This event',
  following: 'This and following events',
  all: 'All events',
};

function ScopeDialog({ what, scopes, sameStart, answer }: Question) {
  const [scope, setScope] = useState<Scope>(scopes[0] ?? 'this');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    answer(scope);
  };
  return (
    <Dialog title={titles[what]} narrow onClose={() => answer(undefined)}>
      <form onSubmit={submit}>
        <fieldset className="choices">
          <legend className="hidden">How much of the series</legend>
          {scopes.map((one) => (
            <label key={one} className="check">
              <input type="radio" name="scope" checked={scope === one} onChange={() => setScope(one)} />
              {names[one]}
            </label>
          ))}
        </fieldset>
        <p className="hint" aria-live="polite">
          {hintOn(what, scope, sameStart)}
        </p>
        <footer>
          <span className="space" />
          <button type="button" onClick={() => answer(undefined)}>
            Cancel
          </button>
          <button type="submit" className={what === 'delete' ? 'primary bad' : 'primary'}>
            {buttons[what]}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function hintOn(what: What, scope: Scope, sameStart: boolean): string {
  if (what === 'delete') return scope === 'following' ? 'This cannot be undone.' : 'This can be undone.';
  if (what !== 'change' || scope === 'this') return '';
  if (sameStart) return 'Individually edited events keep their changes.';
  const moved =
    scope === 'all'
      ? 'All events move by the same difference.'
      : 'This event and all that follow get these times.';
  return `${moved} Individually edited or deleted events move along.`;
}
