import type { TypedDocumentNode } from '@apollo/client';
import { print } from 'graphql';
import { createClient } from 'graphql-sse';
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { token } from './client.ts';

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
    const stream = createClient({
      url: '/graphql/stream',
      headers: { authorization: `Bearer ${token}` },
      retryAttempts: Number.MAX_SAFE_INTEGER,
    });
    const stop = stream.subscribe<T>(
      { query: print(document), variables: JSON.parse(wanted) as V },
      {
        next: ({ data, errors }) => {
          if (errors) setState('refused');
          else if (data) received(data);
        },
        error: () => setState('refused'),
        // The gateway stops, and another one takes its place.
        complete: () => {
          setState('connecting');
          again = setTimeout(() => setRound((count) => count + 1), 1000);
        },
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
      clearTimeout(again);
      stop();
      stream.dispose();
    };
  }, [document, wanted, visible, round]);
  return visible ? state : 'paused';
}

function usePageVisible(): boolean {
  return useSyncExternalStore(
    (listener) => {
      document.addEventListener('visibilitychange', listener);
      return () => document.removeEventListener('visibilitychange', listener);
    },
    () => document.visibilityState === 'visible',
  );
}
