import { ApolloClient, ApolloLink, HttpLink } from '@apollo/client';
import { tap } from 'rxjs';
import { createCache } from '../../../clients/apollo.ts';
import { showNotice } from './notices.ts';
import { offlineLink } from './offline.ts';
import { ownChangesLink } from './own-changes.ts';
import { refusalLink } from './refusal.ts';

/** Reads a value that the gateway wrote into the page. */
const readMetaContent = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? '';

/** The caller's token; the gateway gives it to pages on this machine only. */
export const token = readMetaContent('gateway-token');
/** Whether the gateway has a mail server. */
export const sendsMail = readMetaContent('gateway-mail') === 'on';

interface ResponseExtensions {
  readonly warnings?: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
  readonly guestsNotified?: Readonly<Record<string, number>>;
}

/** Shows the warnings of every response (input accepted but not applied), and how many guests get mail. */
const reportLink = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    tap(({ extensions }) => {
      const { warnings = [], guestsNotified = {} } = (extensions ?? {}) as ResponseExtensions;
      for (const { path, message } of warnings)
        showNotice('warning', `${path.slice(1).join('.')}: ${message}`);
      const count = Object.values(guestsNotified).reduce((sum, guestCount) => sum + guestCount, 0);
      if (count > 0 && sendsMail)
        showNotice('done', `${count === 1 ? '1 guest' : `${count} guests`} will be notified by mail.`);
    }),
  ),
);

/** Client of the page, with the token of the caller. */
export const client = new ApolloClient({
  cache: createCache(),
  link: ApolloLink.from([
    reportLink,
    ownChangesLink,
    refusalLink,
    offlineLink,
    new HttpLink({ uri: '/graphql', headers: { authorization: `Bearer ${token}` } }),
  ]),
  clientAwareness: { name: 'demo-page', version: '1.0.0' },
});
