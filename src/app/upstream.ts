import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { Log } from '../core/runtime/log.ts';
import type { EventTools } from '../event/event.tools.ts';
import type { Schemas } from '../google/schemas.ts';
import { createUpstreamMetrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { createUpstreamCalendarService } from '../upstream/calendar/calendars.ts';
import { createUpstreamEventService, upstreamChannelService } from '../upstream/calendar/event.service.ts';
import type { RetryTimer } from '../upstream/client/attempts.ts';
import type { Service, UpstreamClient } from '../upstream/client/http-exchange.ts';
import { createUpstreamClient } from '../upstream/client/client.ts';
import { createUpstreamVerifier } from '../upstream/identity/token-verifier.ts';
import { createUpstreamBucketService } from '../upstream/storage/buckets.ts';
import {
  createUpstreamNotificationService,
  upstreamPublishingService,
} from '../upstream/storage/notifications.ts';

/** Collaborators that upstream services share with the rest of the gateway. */
interface UpstreamDependencies {
  readonly tools: EventTools;
  readonly schemas: Schemas;
  readonly log: Log;
  readonly registry: Registry;
  readonly tracing: Tracing;
  readonly retryTimer?: RetryTimer | undefined;
}

/** Opens the configured upstream services and the verifier of their tokens. */
export function openUpstream(
  settings: NonNullable<Config['upstream']>,
  { pubsubHost, storageHost }: Config,
  { tools, schemas, log, registry, tracing, retryTimer }: UpstreamDependencies,
) {
  const { clock } = tools;
  const sharedDependencies = {
    clock,
    log,
    metrics: createUpstreamMetrics(registry),
    runTraced: tracing.traceCall,
    timer: retryTimer,
  };
  const verifier = createUpstreamVerifier({ ...sharedDependencies, identity: settings.identity });
  const clients: UpstreamClient[] = [];
  const openClient = (service: Service, baseUrl: string): UpstreamClient => {
    const client = createUpstreamClient({
      ...sharedDependencies,
      service,
      baseUrl,
      onRefused: verifier.forget,
    });
    clients.push(client);
    return client;
  };
  const openCalendarServices = (calendarBaseUrl: string) => {
    const dependencies = {
      client: openClient('calendar', calendarBaseUrl),
      schemas,
      tools,
      pollSeconds: settings.pollSeconds,
    };
    return {
      calendars: createUpstreamCalendarService(dependencies),
      events: createUpstreamEventService(dependencies),
      channels: upstreamChannelService,
    };
  };
  const openStorageServices = (storageBaseUrl: string) => {
    const dependencies = {
      client: openClient('storage', storageBaseUrl),
      schemas,
      clock,
      signingSecret: tools.signingSecret,
      pubsubHost,
      storageHost,
    };
    return {
      buckets: createUpstreamBucketService(dependencies),
      notifications: createUpstreamNotificationService(dependencies),
      publishing: upstreamPublishingService,
    };
  };
  return {
    verify: verifier.verify,
    calendar: settings.calendar === undefined ? undefined : openCalendarServices(settings.calendar),
    storage: settings.storage === undefined ? undefined : openStorageServices(settings.storage),
    close(): void {
      verifier.close();
      for (const client of clients) client.close();
    },
  };
}

/** The opened services; `calendar` and `storage` are undefined unless configured. */
export type Upstream = ReturnType<typeof openUpstream>;
