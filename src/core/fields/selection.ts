/** What a client asks for of a value: the whole, or some fields, in which `*` stands for every name. */
export interface FieldSelection {
  readonly whole: boolean;
  readonly fields: ReadonlyMap<string, FieldSelection>;
}

/** What a request selects of the value of an operation. It is worked out where it is asked for; absent: the whole. */
export type Selected = () => FieldSelection;
