import type { Admission } from '../../../operations/admission.ts';
import { answerOf } from '../answer/answer.ts';
import type { Endpoint } from '../endpoint.ts';
import { RestFault } from '../faults.ts';
import type { Api } from '../method.ts';
import { discover, rootUrlOf } from './discovery.ts';
import type { DocumentParts } from './document.ts';

/** What serves the discovery documents: to everybody, as the official service does. */
export function discoveryEndpoints(apis: readonly Api[], parts: DocumentParts, admission: Admission): readonly Endpoint[] {
  return ['/discovery/v1/apis', '/discovery/v1/apis/{api}/{version}/rest'].map((template): Endpoint => ({
    verb: 'GET',
    template,
    operation: 'discovery',
    run(request, caller) {
      admission.decide(caller, () => undefined);
      request.charged = true;
      const json = discover(request.head.path, apis, parts, rootUrlOf(request.headers));
      if (!json) throw new RestFault(404, 'notFound', 'There is no such API.');
      return answerOf({ json: json as Readonly<Record<string, unknown>> }, { indented: request.query.get('prettyPrint') === 'true' });
    },
  }));
}
