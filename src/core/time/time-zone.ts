import { memoize } from '../memoize.ts';
import { windowsZones } from './windows-zones.ts';
import { isIntlZone } from './local-time.ts';

const zoneNamePattern = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;
const maxNameLength = 64;
/** Bounds the cache, as names come from clients. */
const maxCachedNames = 2048;

// Abbreviations that ICU adds to the IANA names. BST, for example, would silently mean Dhaka.
const icuOnlyNames = new Set(
  (
    'act aet agt art ast bet bst cat cnt cst ctt eat ect iet ist jst mit net nst plt pnt prt pst sst vst ' +
    'etc/unknown'
  ).split(' '),
);

const isIanaZone = memoize(
  maxCachedNames,
  (lowerCaseName: string) =>
    !icuOnlyNames.has(lowerCaseName) && !lowerCaseName.startsWith('systemv/') && isIntlZone(lowerCaseName),
);

/** True for a name of the IANA Time Zone Database, in any case. Offsets such as +02:00 are not names. */
export const isTimeZone = (name: string): boolean =>
  name.length <= maxNameLength &&
  // Tested as sent: the Kelvin sign, which ICU refuses, becomes `k` in lower case.
  zoneNamePattern.test(name) &&
  isIanaZone(name.toLowerCase());

/** IANA zones by Windows name in lower case. */
const zonesByWindowsName = new Map(
  Object.entries(windowsZones).map(([name, zone]) => [name.toLowerCase(), zone] as const),
);

/** Maps a Windows zone name ("W. Europe Standard Time"), in any case, to its IANA zone; undefined for other names. */
export const windowsToIana = (name: string): string | undefined =>
  isTimeZone(name) ? undefined : zonesByWindowsName.get(name.toLowerCase());

/** Like `windowsToIana`, but returns other names unchanged. */
export const toIanaZone = (name: string): string => windowsToIana(name) ?? name;

/** Message of a warning: a Windows name was replaced. */
export const zoneWarningMessage = (zone: string): string => `Stored as ${zone}, the IANA zone for this name.`;
