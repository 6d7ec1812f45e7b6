import type { TypedDocumentNode } from '@apollo/client';
import { print } from 'graphql';
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import type { GatewayErrorExtensions, Issue } from 'resource-gateway/client';
import { createStream, StreamRefused } from '../../../clients/stream.ts';
import { token } from './client.ts';
import { sayStreamRefusal } from './refusal.ts';

export type LiveState = 'connecting' | 'live' | 'paused' | 'refused';

/**
 * Follows a subscription while the page can be seen: a browser opens six connections to one host, and hidden tabs leave
 * them to others. `onData` gets what broke of a result, too; a result without data is the end. Without variables there is
 * nothing to follow.
 */
export function useLive<T, V extends Record<string, unknown>>(
  document: TypedDocumentNode<T, V>,
  variables: V | undefined,
  { onData }: { readonly onData: (data: T, broken: readonly Issue[]) => void },
): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  const [round, setRound] = useState(0);
  const visible = usePageVisible();
  const received = useEffectEvent(onData);
  const wanted = JSON.stringify(variables);
  useEffect(() => {
    if (!visible || wanted === undefined) return;
    setState('connecting');
    let again: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const openAgain = (afterMs: number): void => {
      if (left) return;
      setState('connecting');
      again = setTimeout(() => setRound((count) => count + 1), afterMs);
    };
    const stream = createStream('/graphql/stream', () => ({ authorization: `Bearer ${token}` }));
    const stop = stream.subscribe<T, GatewayErrorExtensions>(
      { query: print(document), variables: JSON.parse(wanted) as V },
      {
        next: ({ data, errors }) => {
          if (data)
            received(
              data,
              (errors ?? []).flatMap(
                ({ extensions }) => (extensions as Partial<GatewayErrorExtensions> | undefined)?.issues ?? [],
              ),
            );
          else setState('refused');
        },
        error: (error) => {
          if (!isFinal(error)) return openAgain(10_000);
          setState('refused');
          sayStreamRefusal(error);
        },
        // The gateway stops, and another one takes its place.
        complete: () => openAgain(1000),
      },
      {
        connecting: () => setState('connecting'),
        connected: () => setState('live'),
      },
    );
    return () => {
      left = true;
      clearTimeout(again);
      stop();
      stream.dispose();
    };
  }, [document, wanted, visible, round]);
  return visible && wanted !== undefined ? state : 'paused';
}

/** The rate limit and a gateway that cannot answer pass by; another token is not to be had here. */
const isFinal = (error: unknown): error is StreamRefused =>
  error instanceof StreamRefused && ![429, 503].includes(error.status);

function usePageVisible(): boolean {
  return useSyncExternalStore(
    (listener) => {
      document.addEventListener('visibilitychange', listener);
      return () => document.removeEventListener('visibilitychange', listener);
    },
    () => document.visibilityState === 'visible',
  );
}
