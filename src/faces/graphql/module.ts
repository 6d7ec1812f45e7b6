import type { MutationResolvers, QueryResolvers, Resolvers, SubscriptionResolvers } from '../../generated/resolvers-types.ts';
import type { Loaders, Services } from './context.ts';
import type { InputChecks } from './input/variables.ts';

/**
 * A resource as the gateway takes it in: its SDL stands in `schema/`, its roots by `extend type`, and its module in one
 * list (`compose.ts`). The types of its services and loaders it adds to `Services` and `Loaders` itself.
 */
export interface ResourceModule {
  readonly resolvers: Omit<Resolvers, 'Query' | 'Mutation' | 'Subscription'> & {
    readonly Query?: Partial<QueryResolvers>;
    readonly Mutation?: Partial<MutationResolvers>;
    readonly Subscription?: Partial<SubscriptionResolvers>;
  };
  readonly services: Partial<Services>;
  /** Fresh loaders for one request. */
  readonly createLoaders: () => Partial<Loaders>;
  /** What the resource says of its inputs where they do not fit the schema, beside that. */
  readonly inputChecks: InputChecks;
}
