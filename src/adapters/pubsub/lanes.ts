/** How much of the destination a topic may take, so that a slow or silent one does not hold up the others. */
export interface LaneLimits {
  /** Requests at the same time for a topic. */
  readonly most: number;
  /** The same for a topic that does not answer, until it does. */
  readonly probes: number;
  /** Milliseconds without any answer after which a topic counts as silent. */
  readonly patience: number;
  /** Milliseconds that a message waits for others of its topic. */
  readonly turn: number;
}

interface Lane {
  busy: number;
  silent: boolean;
  answeredAt: number;
  readonly waiting: Set<Waiting>;
}

interface Waiting {
  readonly enter: () => void;
  readonly refuse: (reason: Error) => void;
}

export function createLanes({ most, probes, patience, turn }: LaneLimits) {
  const lanes = new Map<string, Lane>();

  function laneOf(topic: string): Lane {
    const lane = lanes.get(topic) ?? { busy: 0, silent: false, answeredAt: -Infinity, waiting: new Set() };
    lanes.set(topic, lane);
    return lane;
  }

  /** Takes a place, which is then held. */
  async function enter(lane: Lane): Promise<void> {
    if (lane.busy < (lane.silent ? probes : most)) {
      lane.busy += 1;
      return;
    }
    if (lane.silent) throw silence();
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { enter: resolve, refuse: reject };
      lane.waiting.add(waiting);
      setTimeout(
        () => lane.waiting.delete(waiting) && reject(new Error('too much waits for the topic')),
        turn,
      ).unref();
    });
  }

  /** Gives up a place, to who has waited longest. */
  function leave(topic: string, lane: Lane): void {
    const [first] = lane.waiting;
    if (first) {
      lane.waiting.delete(first);
      first.enter();
      return;
    }
    lane.busy -= 1;
    if (lane.busy === 0 && !lane.silent) lanes.delete(topic);
  }

  /** Called some time after a request was sent: as long as some wait, the newest one was sent no earlier than the last answer came. */
  function check(lane: Lane): void {
    if (performance.now() - lane.answeredAt < patience) return;
    lane.silent = true;
    for (const { refuse } of lane.waiting) refuse(silence());
    lane.waiting.clear();
  }

  return {
    /**
     * Sends when the topic has a place. `send` resolves when the topic has answered, whatever it said. Rejects at once where the
     * topic is silent and has as many requests as it may: what waits for it does not take the place of others.
     */
    async run<T>(topic: string, send: () => Promise<T>): Promise<T> {
      const lane = laneOf(topic);
      await enter(lane);
      const timer = setTimeout(check, patience, lane);
      try {
        const answer = await send();
        lane.silent = false;
        lane.answeredAt = performance.now();
        return answer;
      } finally {
        clearTimeout(timer);
        leave(topic, lane);
      }
    },
  };
}

const silence = (): Error => new Error('the topic does not answer');
