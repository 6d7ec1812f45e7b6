/** The room between the buttons of a form, which says that it is being saved. */
export const Saving = ({ busy }: { readonly busy: boolean }) => (
  <span className="space quiet" role="status">
    {busy && 'Saving …'}
  </span>
);
