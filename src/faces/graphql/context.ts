import type { Warning } from '../../core/errors.ts';
import type { WriteReport } from '../../operations/operation.ts';
import { shortenIssue } from '../../operations/failure.ts';
import type { Caller } from '../../access/permissions.ts';
import { type Meter, RequestContext } from '../../operations/context.ts';
import type { EdgeResults } from './graph.ts';
import type { AdmittedRequest } from './request/admission.ts';

/** A warning in a response; `field` is the response key of its root field. */
interface FieldWarning extends Warning {
  readonly field: string;
}

/** Reports in the form of the `extensions` of a response. */
interface ReportExtensions {
  readonly warnings?: readonly FieldWarning[];
  readonly guestsNotified?: Readonly<Record<string, number>>;
}

/** Limits of the warnings per root field, and per response in bytes. The last warning of a field counts the dropped ones. */
const maxWarningsPerField = 120;
const maxWarningBytes = 100_000;

/** Collects the warnings and numbers of notified guests that the root fields of one operation report. */
export class WriteReports {
  readonly #warnings: FieldWarning[] = [];
  readonly #notifiedCounts = new Map<string, number>();
  #bytesLeft = maxWarningBytes;

  /** Adds the report of the root field with this response key. */
  add(key: string | number, { warnings = [], guestsNotified = 0 }: WriteReport): void {
    const field = String(key);
    if (guestsNotified > 0) this.#notifiedCounts.set(field, guestsNotified);
    let addedCount = 0;
    for (const warning of warnings.slice(0, maxWarningsPerField)) {
      const entry = { field, ...shortenIssue(warning) };
      this.#bytesLeft -= Buffer.byteLength(JSON.stringify(entry));
      if (this.#bytesLeft < 0) break;
      this.#warnings.push(entry);
      addedCount += 1;
    }
    const message = `Further warnings of this field: ${warnings.length - addedCount}.`;
    if (addedCount < warnings.length) this.#warnings.push({ field, path: [], reason: 'incomplete', message });
  }

  /** Returns the value of `Mutation.report`: the reports added so far. */
  toReport(): object {
    const guestsNotified = [...this.#notifiedCounts].map(([field, count]) => ({ field, count }));
    return { warnings: [...this.#warnings], guestsNotified };
  }

  /** Returns the reports for the `extensions` of the response; undefined if nothing was reported. */
  toExtensions(): ReportExtensions | undefined {
    if (this.#warnings.length === 0 && this.#notifiedCounts.size === 0) return undefined;
    return {
      ...(this.#warnings.length > 0 && { warnings: this.#warnings }),
      ...(this.#notifiedCounts.size > 0 && { guestsNotified: Object.fromEntries(this.#notifiedCounts) }),
    };
  }
}

/** State of one GraphQL request; the context of its resolvers. */
export class GatewayContext extends RequestContext {
  readonly writeReports = new WriteReports();
  /** Warnings about fields dropped from the variables; paths start with the variable's name. */
  variableWarnings: readonly Warning[] = [];
  readonly admittedRequest: AdmittedRequest;
  /** Replays of root fields by response key: each returns or throws what the resolver did, which must not run again. */
  rootReplays?: ReadonlyMap<string | number, () => unknown>;
  /**
   * Results of edges, read before their resolvers run; undefined until the first root field with edges is
   * resolved.
   */
  edgeResults?: EdgeResults;
  /** Number of failed edges below lists, limited by `maxFailedEdges`. */
  failedEdgeCount = 0;
  /** Event-loop turn in which the next edge values resolve, and how many more may resolve in it. */
  edgeTurn?: { valuesLeft: number; start: Promise<unknown> };

  constructor(caller: Caller, request: AdmittedRequest, meter?: Meter) {
    super(caller, meter);
    this.admittedRequest = request;
  }
}
