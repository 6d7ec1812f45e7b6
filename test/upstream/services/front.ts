import type { Waiting } from '../../../src/upstream/client/attempts.ts';
import { startEvents, type EventGateway } from '../../event/event.harness.ts';
import { startServices, type Services } from './services.ts';

/** A gateway in front of the model of the services. Its pauses take no time. */
export interface Front {
  readonly gateway: EventGateway;
  readonly services: Services;
  /** Milliseconds that it has paused so far. */
  readonly paused: () => number;
  /** Lets time go by: what is away is tried again. */
  later(): void;
  close(): Promise<void>;
}

export const people = ['alice@example.com', 'bob@example.com', 'carol@example.com'] as const;

export async function startFront(): Promise<Front> {
  const services = await startServices();
  services.events.open(...people);
  services.buckets.open('photos', 'project');
  let skipped = 0;
  let paused = 0;
  const waiting: Waiting = {
    now: () => performance.now() + skipped,
    async pause(ms) {
      skipped += ms;
      paused += ms;
    },
    chance: () => 0.5,
  };
  const { url } = services;
  const gateway = await startEvents(
    { waiting },
    {
      AUTH_JWT_SECRET: '',
      UPSTREAM: 'calendar,storage',
      UPSTREAM_CALENDAR_URL: `${url}/calendar/v3`,
      UPSTREAM_STORAGE_URL: `${url}/storage/v1`,
      UPSTREAM_TOKENINFO_URL: `${url}/tokeninfo`,
    },
  );
  return {
    gateway,
    services,
    paused: () => paused,
    later: () => void (skipped += 60_000),
    async close() {
      await gateway.close();
      await services.stop();
    },
  };
}
