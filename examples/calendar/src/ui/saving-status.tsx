/** Status between the buttons of a form while it is being saved. */
export const SavingStatus = ({ isBusy }: { readonly isBusy: boolean }) => (
  <span className="space quiet" role="status">
    {isBusy && 'Saving…'}
  </span>
);
