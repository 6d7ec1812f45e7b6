import { etagOfText } from '../core/if-match.ts';

/** The entity tag of an entry of an access list; of one that is not there the role is `none`. */
export const entryEtag = ({ email, role }: { readonly email: string; readonly role: string }): string =>
  etagOfText(JSON.stringify([email, role]));
