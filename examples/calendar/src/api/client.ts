import { ApolloClient, ApolloLink, HttpLink } from '@apollo/client';
import { tap } from 'rxjs';
import { createCache } from '../../../clients/apollo.ts';
import { notify } from './notices.ts';
import { countOwnChanges } from './own-changes.ts';
import { sayRefusals } from './refusal.ts';

/** Token that the gateway writes into the page, for pages of this machine only. */
export const token = document.querySelector<HTMLMetaElement>('meta[name=gateway-token]')?.content ?? '';

interface Extensions {
  readonly warnings?: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
  readonly guestsNotified?: Readonly<Record<string, number>>;
}

/** Shows the warnings of each response: they name input that was accepted and not applied. */
const showWarnings = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    tap(({ extensions }) => {
      const { warnings = [], guestsNotified = {} } = (extensions ?? {}) as Extensions;
      for (const { path, message } of warnings) notify('warning', `${path.slice(1).join('.')}: ${message}`);
      const told = Object.values(guestsNotified).reduce((sum, count) => sum + count, 0);
      if (told > 0) notify('done', told === 1 ? 'One guest was told.' : `${told} guests were told.`);
    }),
  ),
);

export const client = new ApolloClient({
  cache: createCache(),
  link: ApolloLink.from([
    showWarnings,
    countOwnChanges,
    sayRefusals,
    new HttpLink({ uri: '/graphql', headers: { authorization: `Bearer ${token}` } }),
  ]),
  clientAwareness: { name: 'demo-page', version: '1.0.0' },
});
