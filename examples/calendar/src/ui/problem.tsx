import { openAgain, useSessionEnded } from '../api/session.ts';
import { Icon } from './icon.tsx';

/** What is wrong with a form as a whole; what was typed stays. */
export function Problem({ text }: { readonly text: string | undefined }) {
  const ended = useSessionEnded();
  return text === undefined ? null : (
    <div className="summary" role="alert" tabIndex={-1}>
      <Icon name="warning" />
      <div>
        <p>{text}{ended && ' What you typed is gone then: copy what you need.'}</p>
        {ended && <button type="button" onClick={openAgain}>Open again</button>}
      </div>
    </div>
  );
}
