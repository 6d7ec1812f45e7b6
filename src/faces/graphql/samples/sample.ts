/** An operation that runs on the demo data, and the variables that it takes. */
export interface Sample {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export const noVariables = {};

/** A day of the demo, counted from the Monday of its first week. */
export type Day = (afterMonday: number) => string;
