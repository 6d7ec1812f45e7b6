/** A pause that can be cut short. */
export interface WakeSignal {
  /** Ends the current pause, or the next one before it begins. */
  readonly wake: () => void;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** For one waiter. */
export function createWakeSignal(): WakeSignal {
  let woken = false;
  let end: (() => void) | undefined;
  return {
    wake() {
      woken = true;
      end?.();
    },
    async wait(milliseconds) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      end = undefined;
      woken = false;
    },
  };
}
