import { invalidInput } from '../../../core/kernel/errors.ts';
import type { Admission } from '../../../operations/context.ts';
import { answerOf } from '../answer/answer.ts';
import { errorAnswer } from '../answer/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { atParameter, RestFault } from '../faults.ts';
import { formOf } from '../method-endpoint.ts';
import type { Api } from '../method.ts';
import { readParameters } from '../read/parameters.ts';
import { discover, rootUrlOf } from './discovery.ts';
import type { DocumentParts } from './document.ts';

const reads = { verb: 'GET', parameters: {} } as const;

/** What serves the discovery documents: to everybody, as the official service does. */
export function discoveryEndpoints(
  apis: readonly Api[],
  parts: DocumentParts,
  admission: Admission,
): readonly Endpoint[] {
  return ['/discovery/v1/apis', '/discovery/v1/apis/{api}/{version}/rest'].map((template): Endpoint => ({
    verb: reads.verb,
    template,
    operation: 'discovery',
    async run(request, caller) {
      admission.decide(caller, () => undefined);
      request.charged = true;
      const json = discover(request.head.path, apis, parts, rootUrlOf(request.headers));
      if (!json) throw new RestFault(404, 'notFound', 'There is no such API.');
      const { given, issues } = readParameters(reads, request);
      if (issues.length > 0) throw invalidInput(issues);
      return answerOf({ json: json as Readonly<Record<string, unknown>> }, formOf(reads, request, given));
    },
    refuse: (error, request, caller) =>
      errorAnswer(
        error,
        caller,
        {
          locate: ([name]) => atParameter(String(name)),
          isUnparsed: ([name]) => request.unparsed.has(String(name)),
        },
        request.head.search,
      ),
  }));
}
