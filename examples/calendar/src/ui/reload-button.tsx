import { Button } from './button.tsx';

/** Reloads the page, which brings a new token after the session has ended. */
export function ReloadButton() {
  return (
    <Button className="primary" onClick={() => location.reload()}>
      Open again
    </Button>
  );
}
