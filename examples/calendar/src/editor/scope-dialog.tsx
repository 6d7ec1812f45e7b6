import { useState } from 'react';
import type { CalendarEvent } from '../calendar/event-times.ts';
import { FormDialog } from '../ui/dialog.tsx';
import type { Scope } from './save-change.ts';

/** Action for which the user chooses a part of a series. `answer`: a response of a guest. */
type SeriesAction = 'change' | 'delete' | 'answer';

interface AskOptions {
  /** Parts of a series that the user may choose; by default all three. */
  readonly scopes?: readonly Scope[];
  /** Whether the change keeps the start of each event. */
  readonly keepsStart?: boolean;
}

interface ScopeQuestion extends Required<AskOptions> {
  readonly action: SeriesAction;
  readonly chooseScope: (scope: Scope | undefined) => void;
}

/**
 * Dialog that asks which events of a series to change. `askScope` resolves to undefined if the user cancels,
 * and at once to `this` for a single event.
 */
export function useScopeDialog() {
  const [question, setQuestion] = useState<ScopeQuestion>();
  const askScope = (
    event: CalendarEvent,
    action: SeriesAction,
    { scopes = ['this', 'following', 'all'], keepsStart = false }: AskOptions = {},
  ): Promise<Scope | undefined> => {
    if (!event.recurringEventId) return Promise.resolve('this');
    // Only the organizer can divide a series.
    const isGuestCopy = event.organizer?.self === false || action === 'answer';
    return new Promise((resolve) => {
      const chooseScope = (scope: Scope | undefined): void => {
        setQuestion(undefined);
        resolve(scope);
      };
      setQuestion({
        action,
        keepsStart,
        scopes: scopes.filter((scope) => !(isGuestCopy && scope === 'following')),
        chooseScope,
      });
    });
  };
  return { askScope, dialog: question && <ScopeDialog {...question} /> };
}

const actionLabels: Readonly<Record<SeriesAction, string>> = {
  change: 'Change',
  delete: 'Delete',
  answer: 'Answer',
};
const scopeLabels: Readonly<Record<Scope, string>> = {
  this: 'This event',
  following: 'This and following events',
  all: 'All events',
};

function ScopeDialog({ action, scopes, keepsStart, chooseScope }: ScopeQuestion) {
  const [scope, setScope] = useState<Scope>(scopes[0] ?? 'this');
  return (
    <FormDialog
      title={`${actionLabels[action]} a repeating event`}
      isNarrow
      isDanger={action === 'delete'}
      submitLabel={actionLabels[action]}
      onSubmit={() => chooseScope(scope)}
      onClose={() => chooseScope(undefined)}
    >
      <fieldset className="choices">
        <legend className="hidden">How much of the series</legend>
        {scopes.map((option) => (
          <label key={option} className="check">
            <input type="radio" name="scope" checked={scope === option} onChange={() => setScope(option)} />
            {scopeLabels[option]}
          </label>
        ))}
      </fieldset>
      <p className="hint" aria-live="polite">
        {describeConsequence(action, scope, keepsStart)}
      </p>
    </FormDialog>
  );
}

/** Describes the effect of the chosen part of the series. */
function describeConsequence(action: SeriesAction, scope: Scope, keepsStart: boolean): string {
  if (action === 'delete') return scope === 'following' ? 'This cannot be undone.' : 'This can be undone.';
  if (action !== 'change' || scope === 'this') return '';
  const undoRemark = scope === 'following' ? ' This cannot be undone.' : '';
  if (keepsStart) return `Individually edited events keep their changes.${undoRemark}`;
  const movement =
    scope === 'all'
      ? 'All events move by the same difference.'
      : 'This event and all that follow get these times.';
  return `${movement} Events that were moved individually keep their times; other edited or deleted ones move along.${undoRemark}`;
}
