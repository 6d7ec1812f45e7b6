import type { Viewer } from '../../access/permissions.ts';
import type { WorkBudget } from '../../core/runtime/work-budget.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { StreamRequest } from '../../core/runtime/stream.ts';
import type { SerialQueue } from '../../core/runtime/serial-queue.ts';
import type { Notes } from './notes.ts';
import type { RequestReport } from './report.ts';

/** The services of all resources, by name: each resource adds its own where its module is declared. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled by the resources' declarations
export interface Services {}

/** Reads of one request, gathered and remembered; each resource adds its own, as with services. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled by the resources' declarations
export interface Loaders {}

/** What HTTP knows of a request beside its content. */
export interface Caller {
  readonly requestId: string;
  /** Absent for a caller without a token; root fields that need one are refused before they run. */
  readonly viewer: Viewer | undefined;
  /** The network address of the caller, for rate limits of callers without a token. */
  readonly address: string;
  readonly log: Log;
  /** Resolves when the answer is sent, or its connection is gone; streams have none. */
  readonly sent?: () => Promise<void>;
  /** Whether nobody waits for the answer any more: it was sent, or its connection is gone. */
  readonly isOver?: () => boolean;
  /** Filled in while the request runs. */
  readonly report: RequestReport;
  /** Of a request for a stream only. */
  readonly stream?: StreamRequest;
}

/** What resolvers know of the request they work for. */
export interface GatewayContext extends Omit<Caller, 'stream' | 'isOver'> {
  /** The viewer, for fields that need one. */
  caller(): Viewer;
  /** What fields that fill a stream must know of it. */
  stream(): StreamRequest;
  readonly services: Services;
  /** Made when a read asks for them first. */
  readonly loaders: Loaders;
  /** What the request may spend; shared by all its root fields. */
  readonly budget: WorkBudget;
  /** Reads of many records run one after the other within a request. */
  readonly readQueue: SerialQueue;
  /** What becomes the response's `extensions`. */
  readonly notes: Notes;
}
