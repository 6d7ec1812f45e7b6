import { json } from 'node:stream/consumers';
import { eventually } from '../eventually.ts';
import type { TestGateway } from '../harness.ts';
import { serve } from '../loopback.ts';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly arrayValue?: { readonly values: readonly Value[] };
}

interface Attributed {
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
}

export interface Span extends Attributed {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: Attributed;
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;

/** A collector of traces (OTLP over HTTP, JSON) on loopback. */
export async function startCollector() {
  const spans: Span[] = [];
  let path: string | undefined;
  let resource: Attributed | undefined;
  const { url, close } = await serve((request, response) => {
    void json(request).then((body) => {
      path = request.url;
      for (const sent of (body as Sent).resourceSpans) {
        ({ resource } = sent);
        spans.push(...sent.scopeSpans.flatMap((scope) => scope.spans));
      }
      response.end('{}');
    });
  });
  return {
    endpoint: url,
    spans,
    /** The path that was sent to last. */
    path: () => path,
    /** The attributes of the resource that sent last. */
    resource: () => attributesOf(resource),
    /** Closes a gateway and waits for so many spans of its requests, of which the last may arrive behind its end. */
    async closeGateway(gateway: TestGateway, requests: number): Promise<void> {
      await gateway.close();
      const isRequest = ({ name }: Span): boolean => !name.includes('.');
      await eventually(async () => expect(spans.filter(isRequest)).toHaveLength(requests));
    },
    close,
  };
}

const valueOf = ({ stringValue, intValue, arrayValue }: Value): unknown =>
  stringValue ?? (intValue === undefined ? arrayValue?.values.map(valueOf) : Number(intValue));

export const attributesOf = (of: Attributed | undefined): Readonly<Record<string, unknown>> =>
  Object.fromEntries(of?.attributes.map(({ key, value }) => [key, valueOf(value)]) ?? []);
