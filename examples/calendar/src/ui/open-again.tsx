/** For a session that has ended: the page comes with another token. */
export function OpenAgain() {
  return (
    <button type="button" className="primary" onClick={() => location.reload()}>
      Open again
    </button>
  );
}
