import type { TypedDocumentNode } from '@apollo/client';
import { print } from 'graphql';
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { createStream, StreamRefused } from '../../../clients/stream.ts';
import { token } from './client.ts';
import { sayStreamRefusal } from './refusal.ts';

export type LiveState = 'connecting' | 'live' | 'paused' | 'refused';

/**
 * Follows a subscription while the page can be seen: a browser opens six connections to one host, and hidden tabs leave
 * them to others. `onOpen` runs whenever the stream is there (again), for what was missed meanwhile.
 */
export function useLive<T, V extends Record<string, unknown>>(
  document: TypedDocumentNode<T, V>,
  variables: V,
  { onOpen, onData }: { readonly onOpen?: () => void; readonly onData: (data: T) => void },
): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  const [round, setRound] = useState(0);
  const visible = usePageVisible();
  const opened = useEffectEvent(() => onOpen?.());
  const received = useEffectEvent(onData);
  const wanted = JSON.stringify(variables);
  useEffect(() => {
    if (!visible) return;
    setState('connecting');
    let again: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const openAgain = (afterMs: number): void => {
      if (left) return;
      setState('connecting');
      again = setTimeout(() => setRound((count) => count + 1), afterMs);
    };
    const stream = createStream('/graphql/stream', () => ({ authorization: `Bearer ${token}` }));
    const stop = stream.subscribe<T>(
      { query: print(document), variables: JSON.parse(wanted) as V },
      {
        next: ({ data, errors }) => {
          if (errors) setState('refused');
          else if (data) received(data);
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
        connected: () => {
          setState('live');
          opened();
        },
      },
    );
    return () => {
      left = true;
      clearTimeout(again);
      stop();
      stream.dispose();
    };
  }, [document, wanted, visible, round]);
  return visible ? state : 'paused';
}

/** The rate limit and a gateway that cannot answer pass by; another token is not to be had here. */
const isFinal = (error: unknown): error is StreamRefused => error instanceof StreamRefused && ![429, 503].includes(error.status);

function usePageVisible(): boolean {
  return useSyncExternalStore(
    (listener) => {
      document.addEventListener('visibilitychange', listener);
      return () => document.removeEventListener('visibilitychange', listener);
    },
    () => document.visibilityState === 'visible',
  );
}
