import type { FieldNode } from '../../core/fields/table.ts';
import type { Attendee } from '../model/fields.ts';
import { attendeeKey } from '../model/attendee-key.ts';
import { jsonOf } from './json.ts';
import type { Viewpoint } from './viewpoint.ts';

/** A guest as one caller sees them. As with the event, a field is worked out when it is read. */
type GuestClass = new (
  entry: Attendee,
  at: Viewpoint,
  removed: ReadonlySet<string | undefined> | undefined,
) => Attendee;

const classes = new WeakMap<FieldNode, GuestClass>();

/** Of the table's node for guests. */
export function guestClass(node: FieldNode): GuestClass {
  let found = classes.get(node);
  if (!found) classes.set(node, (found = createClass(node)));
  return found;
}

interface GuestSource {
  readonly entry: Attendee;
  readonly at: Viewpoint;
  readonly removed: ReadonlySet<string | undefined> | undefined;
}

function createClass(node: FieldNode): GuestClass {
  class Guest {
    readonly #source: GuestSource;
    constructor(entry: Attendee, at: Viewpoint, removed: GuestSource['removed']) {
      this.#source = { entry, at, removed };
    }
    /** Made here: nothing else reaches what is private. */
    static getter(read: (source: GuestSource) => unknown, standard: unknown): () => unknown {
      return function (this: Guest) {
        return read(this.#source) ?? standard;
      };
    }
    toJSON(): object {
      return jsonOf(this, names);
    }
  }
  const names = [...node.fields.values()].map(({ name }) => name);
  const readers: Readonly<Record<string, (source: GuestSource) => unknown>> = {
    self: ({ entry, at }) => attendeeKey(entry) === at.owner,
    organizer: ({ entry, at }) => at.organizer !== undefined && attendeeKey(entry) === at.organizer,
    // Who took the event off their calendar counts as declined.
    responseStatus: ({ entry, removed }) =>
      removed?.has(attendeeKey(entry)) ? 'declined' : entry.responseStatus,
  };
  for (const { name, default: standard } of node.fields.values()) {
    const read = readers[name] ?? (({ entry }: GuestSource) => entry[name as 'email']);
    Object.defineProperty(Guest.prototype, name, { get: Guest.getter(read, standard), enumerable: true });
  }
  // What the loop defines is beyond the compiler.
  return Guest as unknown as GuestClass;
}
