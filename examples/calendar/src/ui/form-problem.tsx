import { sessionEndedStore } from '../api/session.ts';
import { useStore } from '../api/use-store.ts';
import { Icon } from './icon.tsx';
import { ReloadButton } from './reload-button.tsx';

interface ProblemProps {
  readonly text: string | undefined;
  /** Whether the form's input survives a reload. */
  readonly keepsInput?: boolean;
}

/** Shows an error about the whole form. After the end of the session it offers to reload the page. */
export function Problem({ text, keepsInput }: ProblemProps) {
  const hasSessionEnded = useStore(sessionEndedStore);
  return text === undefined ? null : (
    <div className="summary" role="alert" tabIndex={-1}>
      <Icon name="warning" />
      <div>
        <p>
          {text}
          {hasSessionEnded &&
            (keepsInput ? ' Your input is kept.' : ' Your input will be lost. Copy what you need first.')}
        </p>
        {hasSessionEnded && <ReloadButton />}
      </div>
    </div>
  );
}
