import { isKnownZone } from './local-time.ts';

const zoneName = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;
const longestName = 64;
const remembered = 2048;

// Abbreviations and names that ICU adds to the IANA list. BST, for one, would silently mean Dhaka.
const icuOnly = new Set(
  ('act aet agt art ast bet bst cat cnt cst ctt eat ect iet ist jst mit net nst plt pnt prt pst sst vst ' +
    'etc/unknown').split(' '),
);

const known = new Map<string, boolean>();

/** A name of the IANA Time Zone Database, in any case. An offset such as +02:00 is not a name. */
export function isTimeZone(name: string): boolean {
  if (name.length > longestName) return false;
  const key = name.toLowerCase();
  let valid = known.get(key);
  if (valid === undefined) {
    valid = findZone(name, key);
    // Names come from clients, so the memory is bounded; starting over costs a few microseconds a name.
    if (known.size >= remembered) known.clear();
    known.set(key, valid);
  }
  return valid;
}

function findZone(name: string, key: string): boolean {
  return zoneName.test(name) && !icuOnly.has(key) && !key.startsWith('systemv/') && isKnownZone(name);
}
