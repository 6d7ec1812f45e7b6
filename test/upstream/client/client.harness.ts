import type { Waiting } from '../../../src/upstream/client/attempts.ts';
import type { Call, CallFor, Service } from '../../../src/upstream/client/call.ts';
import { createUpstreamClient, type UpstreamClientParts } from '../../../src/upstream/client/client.ts';

export interface ManualWaiting extends Waiting {
  /** The pauses that were made. */
  readonly pauses: number[];
  /** Lets time pass. */
  pass(ms: number): void;
}

/** Time that passes in pauses alone. */
export function manualWaiting(chance = 0): ManualWaiting {
  let time = 0;
  const pauses: number[] = [];
  return {
    pauses,
    pass: (ms) => {
      time += ms;
    },
    now: () => time,
    chance: () => chance,
    async pause(ms, signal) {
      signal?.throwIfAborted();
      pauses.push(ms);
      time += ms;
    },
  };
}

/** Keeps what is told of calls. */
export function recorder() {
  const lines: { level: string; details: object; message: string }[] = [];
  const attempts: string[] = [];
  const retries: string[] = [];
  const spans: unknown[] = [];
  const line =
    (level: string) =>
    (details: object, message: string): void =>
      void lines.push({ level, details, message });
  return {
    lines,
    attempts,
    retries,
    spans,
    log: { info: line('info'), warn: line('warn'), error: line('error') },
    figures: {
      attempted: (...[service, method, status]: [string, string, string, number]) =>
        void attempts.push(`${service} ${method} ${status}`),
      retried: (...of: string[]) => void retries.push(of.join(' ')),
    },
    traced: <T>(name: string, system: object, work: () => Promise<T>): Promise<T> => {
      spans.push([name, system]);
      return work();
    },
  };
}

export const token = 'ya29.secret-token';
export const reading: Call = {
  method: 'events.get',
  verb: 'GET',
  path: ['calendars', 'alice@example.com', 'events', 'e1'],
  repeatable: true,
};
export const writing: Call = {
  method: 'events.insert',
  verb: 'POST',
  path: ['calendars', 'primary', 'events'],
  body: { summary: 'Secret plan' },
  repeatable: false,
};

/** A client of a service on loopback. */
export function clientOf(base: string, more: Partial<UpstreamClientParts> = {}) {
  const waiting = manualWaiting();
  const told = recorder();
  const refused: string[] = [];
  const { log, figures, traced } = told;
  const service: Service = 'calendar';
  const client = createUpstreamClient({
    service,
    base,
    clock: () => Date.UTC(2031, 0, 1),
    log,
    figures,
    traced,
    waiting,
    onRefused: (one) => void refused.push(one),
    ...more,
  });
  return {
    ...told,
    waiting,
    refused,
    client,
    call: (call: Call, from: Partial<CallFor> = {}) => client.call(call, { token, request: {}, ...from }),
  };
}
