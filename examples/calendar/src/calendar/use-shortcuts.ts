import { useEffect, useEffectEvent } from 'react';

/**
 * Runs actions by single keys (`key` of the event), but not while the user types or a dialog or popover is
 * open.
 */
export function useShortcuts(isOn: boolean, actions: Readonly<Record<string, () => void>>): void {
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    const action = actions[event.key];
    const hasModifier = event.ctrlKey || event.altKey || event.metaKey;
    if (!isOn || !action || event.defaultPrevented || hasModifier || event.repeat || event.isComposing)
      return;
    if (isTextInput(event.target) || document.querySelector('dialog[open], [role=dialog], :popover-open'))
      return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => handleKey(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}

const isTextInput = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'));
