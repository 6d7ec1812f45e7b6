import { json } from 'node:stream/consumers';
import { eventually } from '../eventually.ts';
import type { TestGateway } from '../harness.ts';
import { startLoopbackServer } from '../loopback-server.ts';

/** The value of an attribute in OTLP's JSON; one member is present. */
interface AttributeValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly arrayValue?: { readonly values: readonly AttributeValue[] };
}

interface WithAttributes {
  readonly attributes: readonly { readonly key: string; readonly value: AttributeValue }[];
}

export interface Span extends WithAttributes {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: WithAttributes;
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;

/** Starts a trace collector (OTLP over HTTP, JSON) on loopback. */
export async function startCollector() {
  const spans: Span[] = [];
  let path: string | undefined;
  let resource: WithAttributes | undefined;
  const { url, close } = await startLoopbackServer((request, response) => {
    void json(request).then((body) => {
      path = request.url;
      for (const resourceSpan of (body as ExportRequest).resourceSpans) {
        ({ resource } = resourceSpan);
        spans.push(...resourceSpan.scopeSpans.flatMap((scope) => scope.spans));
      }
      response.end('{}');
    });
  });
  return {
    endpoint: url,
    spans,
    /** Path of the last request. */
    lastPath: () => path,
    /** Resource attributes of the last request. */
    lastResource: () => attributesOf(resource),
    /** Closes a gateway and waits for the spans of its requests, which may arrive after its end. */
    async closeGateway(gateway: TestGateway, requestCount: number): Promise<void> {
      await gateway.close();
      // Spans of store calls have names with a dot, such as `events.events`.
      const isRequest = ({ name }: Span): boolean => !name.includes('.');
      await eventually(async () => expect(spans.filter(isRequest)).toHaveLength(requestCount));
    },
    close,
  };
}

const plainValue = ({ stringValue, intValue, arrayValue }: AttributeValue): unknown =>
  stringValue ?? (intValue === undefined ? arrayValue?.values.map(plainValue) : Number(intValue));

export const attributesOf = (source: WithAttributes | undefined): Readonly<Record<string, unknown>> =>
  Object.fromEntries(source?.attributes.map(({ key, value }) => [key, plainValue(value)]) ?? []);
