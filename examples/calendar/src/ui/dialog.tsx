import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { Icon } from './icon.tsx';

interface DialogProps {
  readonly title: string;
  readonly narrow?: boolean;
  /** Whether there is input to lose: then it asks before it closes. */
  readonly hasInput?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * The browser's own modal dialog: it traps the focus, closes by Escape or a click outside, and returns the focus. It stays open
 * while something in it is busy, so that it can show a failure.
 */
export function Dialog({ title, narrow, hasInput, onClose, children }: DialogProps) {
  // Browsers may close this dialog and its question with a single Escape: a fresh key puts the question on top again.
  const [question, setQuestion] = useState<number>();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Before the browser takes the dialog out: only one that is closed gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Not the button that closes it, which the browser takes for the first one.
    element?.querySelector<HTMLElement>('form :is(input, select, textarea), footer button')?.focus();
    return () => element?.close();
  }, []);
  const leave = (): void => {
    const isBusy = dialog.current?.querySelector('[aria-busy=true]');
    if (!isBusy && !hasInput) return onClose();
    // Browsers close a dialog on the second request in a row, without asking the page.
    if (dialog.current?.open === false) dialog.current.showModal();
    if (!isBusy) setQuestion(performance.now());
  };
  return (
    <dialog
      ref={dialog}
      closedby="any"
      aria-labelledby={heading}
      className={narrow ? 'narrow' : undefined}
      onCancel={(event) => {
        // Events of a dialog inside, and of file inputs, bubble in React.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        leave();
      }}
      onClose={({ target, currentTarget: { open, isConnected } }) => {
        if (target === dialog.current && !open && isConnected) leave();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" className="plain" aria-label="Close" onClick={leave}>
          <Icon name="close" />
        </button>
      </header>
      {children}
      {question !== undefined && (
        <Dialog key={question} title="Discard your changes?" narrow onClose={() => setQuestion(undefined)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              event.stopPropagation();
              onClose();
            }}
          >
            <p>They are not saved yet.</p>
            <footer>
              <span className="space" />
              <button type="button" onClick={() => setQuestion(undefined)}>
                Keep editing
              </button>
              <button type="submit" className="primary bad">
                Discard
              </button>
            </footer>
          </form>
        </Dialog>
      )}
    </dialog>
  );
}
