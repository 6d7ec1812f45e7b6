/** What gateways know in common of a destination. */
export interface DestinationState {
  /** Epoch milliseconds before which nothing more is started at it. */
  readonly pausedUntil: number;
  /** By version: since when it is off (epoch ms), for gateways whose destination has this version. */
  readonly offSince: Readonly<Record<string, number>>;
  /** When a gateway with another version last began to serve it; 0 for never. */
  readonly onSince: number;
}

/** The states of destinations, by their names. */
export interface DestinationStates {
  /** Those that were ever paused or turned off. */
  read(names: readonly string[]): Promise<ReadonlyMap<string, DestinationState>>;
  /** A pause is never made shorter. */
  pause(name: string, until: number): Promise<void>;
  /** The first time counts. */
  turnOff(name: string, version: string, since: number): Promise<void>;
  /** The last time counts. */
  turnOn(name: string, since: number): Promise<void>;
}
