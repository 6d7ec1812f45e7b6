/** Status between the buttons of a form while it is being saved. */
export const Saving = ({ busy }: { readonly busy: boolean }) => (
  <span className="space quiet" role="status">
    {busy && 'Saving…'}
  </span>
);
