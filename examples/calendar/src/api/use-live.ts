import type { TypedDocumentNode } from '@apollo/client';
import { print } from 'graphql';
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import type { GatewayErrorExtensions, Issue } from 'resource-gateway/client';
import { createStream, StreamRefused } from '../../../clients/stream.ts';
import { token } from './client.ts';
import { addListeners } from './listen.ts';
import { reportStreamRefusal } from './refusal.ts';

/**
 * State of a stream. `offline`: it is closed and will be reopened. `paused`: the page is hidden, or there is
 * nothing to follow. `refused`: the gateway refused it or ended it for good.
 */
export type LiveState = 'connecting' | 'live' | 'offline' | 'paused' | 'refused';

interface LiveOptions<T> {
  /** Receives each result, with the issues of its failed fields. A result without data ends the stream. */
  readonly onData: (data: T, issues: readonly Issue[]) => void;
  /** Id of the last event received. The stream continues after it whenever it is opened again. */
  readonly lastEventId?: string | undefined;
}

/**
 * Follows a subscription while the page is visible: a browser opens six connections to one host, and hidden tabs leave
 * them to others. Undefined variables follow nothing.
 */
export function useLiveSubscription<T, V extends Record<string, unknown>>(
  document: TypedDocumentNode<T, V>,
  variables: V | undefined,
  { onData, lastEventId }: LiveOptions<T>,
): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  const [attempt, setAttempt] = useState(0);
  const unavailableEventId = useRef<string>(undefined);
  const isVisible = usePageVisible();
  const handleData = useEffectEvent(onData);
  const readResumeId = useEffectEvent(() =>
    lastEventId === unavailableEventId.current ? undefined : lastEventId,
  );
  const variablesJson = JSON.stringify(variables);
  // Reopens the stream at both events: a connection that went down unnoticed would look live, and a gateway
  // on this machine responds without a network.
  useEffect(() => addListeners(window, ['online', 'offline'], () => setAttempt((count) => count + 1)), []);
  useEffect(() => {
    if (!isVisible || variablesJson === undefined) return;
    const showConnecting = (): void => setState(navigator.onLine ? 'connecting' : 'offline');
    showConnecting();
    let reopenTimer: ReturnType<typeof setTimeout> | undefined;
    let isClosed = false;
    let isRefused = false;
    let resumeId: string | undefined;
    const reopen = (delayMs: number): void => {
      if (isClosed) return;
      setState('offline');
      reopenTimer = setTimeout(() => setAttempt((count) => count + 1), delayMs);
    };
    const stream = createStream(
      '/graphql/stream',
      () => {
        resumeId = readResumeId();
        return {
          authorization: `Bearer ${token}`,
          ...(resumeId !== undefined && { 'last-event-id': resumeId }),
        };
      },
      () => !isClosed && setState('offline'),
    );
    const unsubscribe = stream.subscribe<T, GatewayErrorExtensions>(
      { query: print(document), variables: JSON.parse(variablesJson) as V },
      {
        next({ data, errors = [] }) {
          const extensions = errors.map((error) => error.extensions as Partial<GatewayErrorExtensions>);
          if (data)
            return handleData(
              data,
              extensions.flatMap((extension) => extension?.issues ?? []),
            );
          isRefused = !extensions.some((extension) => temporaryCodes.has(extension?.code ?? ''));
          if (isRefused && resumeId !== undefined) {
            // The gateway no longer has the messages after this id: the stream starts from now on.
            unavailableEventId.current = resumeId;
            isRefused = false;
          }
          if (isRefused) setState('refused');
        },
        error: (error) => {
          if (!isFinal(error)) return reopen(retryAfterErrorMs);
          setState('refused');
          reportStreamRefusal(error);
        },
        // A stopping gateway completes its streams, and another one takes its place.
        complete: () => !isRefused && reopen(retryAfterEndMs),
      },
      {
        connecting: showConnecting,
        connected: () => setState('live'),
      },
    );
    return () => {
      isClosed = true;
      clearTimeout(reopenTimer);
      unsubscribe();
      stream.dispose();
    };
  }, [document, variablesJson, isVisible, attempt]);
  return isVisible && variablesJson !== undefined ? state : 'paused';
}

const retryAfterErrorMs = 10_000;
const retryAfterEndMs = 1000;

/** Codes after which another try may succeed, or fails with a status that tells more. */
const temporaryCodes: ReadonlySet<string> = new Set([
  'UNAVAILABLE',
  'RATE_LIMITED',
  'UNAUTHENTICATED',
  'INTERNAL_SERVER_ERROR',
]);

/** The rate limit (429) and an unavailable gateway (503) are temporary; the page cannot get another token. */
const isFinal = (error: unknown): error is StreamRefused =>
  error instanceof StreamRefused && ![429, 503].includes(error.status);

function usePageVisible(): boolean {
  return useSyncExternalStore(
    (listener) => addListeners(document, ['visibilitychange'], listener),
    () => document.visibilityState === 'visible',
  );
}
