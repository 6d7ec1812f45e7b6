/** Reloads the page, which brings a new token after the session has ended. */
export function ReloadButton() {
  return (
    <button type="button" className="primary" onClick={() => location.reload()}>
      Open again
    </button>
  );
}
