import { sessionEnded } from '../api/session.ts';
import { useStore } from '../api/use-store.ts';
import { Icon } from './icon.tsx';
import { OpenAgain } from './open-again.tsx';

/** Shows an error about the whole form. Input stays. */
export function Problem({ text }: { readonly text: string | undefined }) {
  const ended = useStore(sessionEnded);
  return text === undefined ? null : (
    <div className="summary" role="alert" tabIndex={-1}>
      <Icon name="warning" />
      <div>
        <p>
          {text}
          {ended && ' What you typed is gone then: copy what you need.'}
        </p>
        {ended && <OpenAgain />}
      </div>
    </div>
  );
}
