/** What a change makes of the guest list, for those who may make only some kinds of change. */
export interface GuestChange {
  readonly adds: boolean;
  readonly removes: boolean;
  /** More than the caller's own answer changes of entries that stay. */
  readonly changesOthers: boolean;
  /** An answer of a guest who has no calendar here to answer on. */
  readonly answersForOthers: boolean;
  /** Somebody is invited whom the caller does not see, be it a stranger or a hidden guest. */
  readonly invites: boolean;
}
