/** Limits of one topic, so that a slow or silent topic does not delay others. */
export interface TopicConcurrencyLimits {
  /** Maximum concurrent requests while the topic responds. */
  readonly maxRequests: number;
  /** Maximum concurrent requests while the topic does not respond. */
  readonly maxProbes: number;
  /** Milliseconds without any response after which the topic counts as silent. */
  readonly silentAfterMs: number;
  /** Milliseconds that a message waits for a slot. */
  readonly maxWaitMs: number;
}

/** Requests of one topic. `respondedAt`: time of the last response (`performance.now`). */
interface TopicSlots {
  activeCount: number;
  isSilent: boolean;
  respondedAt: number;
  readonly waitingRequests: Set<WaitingRequest>;
}

interface WaitingRequest {
  readonly start: () => void;
  readonly refuse: (reason: Error) => void;
}

/** Limits concurrent requests by topic, and probes silent topics with few requests. */
export function createTopicConcurrency({
  maxRequests,
  maxProbes,
  silentAfterMs,
  maxWaitMs,
}: TopicConcurrencyLimits) {
  const slotsByTopic = new Map<string, TopicSlots>();

  function slotsOf(topic: string): TopicSlots {
    const slots = slotsByTopic.get(topic) ?? {
      activeCount: 0,
      isSilent: false,
      respondedAt: -Infinity,
      waitingRequests: new Set(),
    };
    slotsByTopic.set(topic, slots);
    return slots;
  }

  /** Takes a slot, or waits for one. Rejects at once if the topic is silent, and after `maxWaitMs`. */
  async function acquireSlot(slots: TopicSlots): Promise<void> {
    if (slots.activeCount < (slots.isSilent ? maxProbes : maxRequests)) {
      slots.activeCount += 1;
      return;
    }
    if (slots.isSilent) throw silentTopicError();
    await new Promise<void>((resolve, reject) => {
      const waitingRequest: WaitingRequest = { start: resolve, refuse: reject };
      slots.waitingRequests.add(waitingRequest);
      setTimeout(
        () =>
          slots.waitingRequests.delete(waitingRequest) &&
          reject(new Error('too many messages wait for the topic')),
        maxWaitMs,
      ).unref();
    });
  }

  /** Releases a slot to the longest waiting request. */
  function releaseSlot(topic: string, slots: TopicSlots): void {
    const [longestWaiting] = slots.waitingRequests;
    if (longestWaiting) {
      slots.waitingRequests.delete(longestWaiting);
      longestWaiting.start();
      return;
    }
    slots.activeCount -= 1;
    if (slots.activeCount === 0 && !slots.isSilent) slotsByTopic.delete(topic);
  }

  /**
   * Runs `silentAfterMs` after a request was sent. While requests wait, each response sends a new one, so a
   * check is always due.
   */
  function checkSilence(slots: TopicSlots): void {
    if (performance.now() - slots.respondedAt < silentAfterMs) return;
    slots.isSilent = true;
    for (const { refuse } of slots.waitingRequests) refuse(silentTopicError());
    slots.waitingRequests.clear();
  }

  return {
    /** Sends when the topic has a free slot. Rejects at once for a silent topic without one, so that its messages do not occupy the relay. */
    async run<T>(topic: string, send: () => Promise<T>): Promise<T> {
      const slots = slotsOf(topic);
      await acquireSlot(slots);
      const timer = setTimeout(checkSilence, silentAfterMs, slots);
      try {
        const response = await send();
        slots.isSilent = false;
        slots.respondedAt = performance.now();
        return response;
      } finally {
        clearTimeout(timer);
        releaseSlot(topic, slots);
      }
    },
  };
}

const silentTopicError = (): Error => new Error('the topic does not answer');
