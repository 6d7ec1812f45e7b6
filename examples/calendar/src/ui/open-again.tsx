/** Reloads the page after a session has ended: each load brings a fresh token. */
export function OpenAgain() {
  return (
    <button type="button" className="primary" onClick={() => location.reload()}>
      Open again
    </button>
  );
}
