/** Reloads the page, which brings a new token after the session has ended. */
export function OpenAgain() {
  return (
    <button type="button" className="primary" onClick={() => location.reload()}>
      Open again
    </button>
  );
}
