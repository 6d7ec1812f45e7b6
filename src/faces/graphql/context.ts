import type { Caller } from '../../access/caller.ts';
import { RequestContext } from '../../operations/context.ts';
import { createNotes } from './notes.ts';

/** What resolvers know of the request they work for. */
export class GatewayContext extends RequestContext {
  /** What becomes the response's `extensions`. */
  readonly notes = createNotes();
}

export const contextOf = (caller: Caller): GatewayContext => new GatewayContext(caller);
