import { remembered } from '../remembered.ts';
import { windowsZones } from './windows-zones.ts';
import { isKnownZone } from './local-time.ts';

const zoneName = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;
const longestName = 64;
/** Names come from clients: what is known of them is bounded. */
const mostNames = 2048;

// Abbreviations and names that ICU adds to the IANA list. BST, for one, would silently mean Dhaka.
const icuOnly = new Set(
  (
    'act aet agt art ast bet bst cat cnt cst ctt eat ect iet ist jst mit net nst plt pnt prt pst sst vst ' +
    'etc/unknown'
  ).split(' '),
);

const findKnown = remembered(mostNames, (_name: string, key: string) => key, findZone);

/** A name of the IANA Time Zone Database, in any case. An offset such as +02:00 is not a name. */
export const isTimeZone = (name: string): boolean =>
  name.length <= longestName && findKnown(name, name.toLowerCase());

function findZone(name: string, key: string): boolean {
  return zoneName.test(name) && !icuOnly.has(key) && !key.startsWith('systemv/') && isKnownZone(name);
}

const byWindowsName = new Map(
  Object.entries(windowsZones).map(([name, zone]) => [name.toLowerCase(), zone] as const),
);

/** The IANA zone for a name of Windows ("W. Europe Standard Time"), in any case; undefined for other names. */
export const zoneOfWindows = (name: string): string | undefined =>
  isTimeZone(name) ? undefined : byWindowsName.get(name.toLowerCase());

/** The IANA zone for a name of Windows; any other text as it is. */
export const ianaZone = (name: string): string => zoneOfWindows(name) ?? name;

/** Message for a client whose zone was stored under its IANA name. */
export const zoneWarningMessage = (zone: string): string => `Stored as ${zone}, the IANA zone for this name.`;
