import { useReactiveVar } from '@apollo/client/react';
import { hasSessionEnded } from '../api/session.ts';
import { Icon } from './icon.tsx';
import { ReloadButton } from './reload-button.tsx';

interface ProblemProps {
  readonly text: string | undefined;
  /** Whether the form's input survives a reload. */
  readonly keepsInput?: boolean | undefined;
}

/** Shows an error about the whole form. After the end of the session it offers to reload the page. */
export function Problem({ text, keepsInput }: ProblemProps) {
  const hasEnded = useReactiveVar(hasSessionEnded);
  return text === undefined ? null : (
    <div className="summary" role="alert" tabIndex={-1}>
      <Icon name="warning" />
      <div>
        <p>
          {text}
          {hasEnded &&
            (keepsInput ? ' Your input is kept.' : ' Your input will be lost. Copy what you need first.')}
        </p>
        {hasEnded && <ReloadButton />}
      </div>
    </div>
  );
}
