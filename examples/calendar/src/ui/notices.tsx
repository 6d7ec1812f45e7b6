import { useReactiveVar } from '@apollo/client/react';
import { dismissNotice, notices } from '../api/notices.ts';
import { hasSessionEnded } from '../api/session.ts';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { ReloadButton } from './reload-button.tsx';

const toneLabels = { done: 'Done', info: 'Note', warning: 'Warning', error: 'Error' } as const;

/** Shows notices; screen readers announce new ones. */
export function Notices() {
  const currentNotices = useReactiveVar(notices);
  return (
    <div className="messages-below">
      <div className="notices" role="status" aria-label="Notices">
        {currentNotices.map(({ id, tone, text, action }) => (
          <div key={id} className={`notice ${tone}`}>
            <Icon name={tone === 'error' ? 'warning' : tone} />
            <p>
              <b className={tone === 'done' || tone === 'info' ? 'hidden' : undefined}>
                {toneLabels[tone]}:{' '}
              </b>
              {text}
            </p>
            {action && (
              <Button
                className="link"
                onClick={() => {
                  dismissNotice(id);
                  action.run();
                }}
              >
                {action.label}
              </Button>
            )}
            <IconButton icon="close" label={`Dismiss: ${text}`} onClick={() => dismissNotice(id)} />
          </div>
        ))}
      </div>
      <SessionBanner />
    </div>
  );
}

/** Asks the user to open the page again after the session has ended. */
function SessionBanner() {
  const hasEnded = useReactiveVar(hasSessionEnded);
  return (
    <div role="alert">
      {hasEnded && (
        <div className="session">
          <Icon name="warning" />
          <p>Your session has ended. Open the page again to sign in.</p>
          <ReloadButton />
        </div>
      )}
    </div>
  );
}
