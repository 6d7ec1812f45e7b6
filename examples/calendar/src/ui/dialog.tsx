import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Icon } from './icon.tsx';

interface DialogProps {
  readonly title: string;
  readonly narrow?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * The browser's own modal dialog: it keeps the focus, Escape closes it, and the focus goes back where it was. While something in
 * it is busy it stays open, so that a failure is said in it.
 */
export function Dialog({ title, narrow, onClose, children }: DialogProps) {
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
    if (!dialog.current?.querySelector('[aria-busy=true]')) onClose();
    // A browser that is asked twice does not ask the page again.
    else if (!dialog.current.open) dialog.current.showModal();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      className={narrow ? 'narrow' : undefined}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      onClose={({ currentTarget: { open, isConnected } }) => {
        if (!open && isConnected) leave();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" className="plain" aria-label="Close" onClick={leave}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
