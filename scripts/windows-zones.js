import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cldrFile = fileURLToPath(import.meta.resolve('cldr-core/supplemental/windowsZones.json'));

/** Plugin of graphql-codegen that writes the Windows time zones as data (CLDR, windowsZones, territory 001). */
export function plugin() {
  const { windowsZones } = JSON.parse(readFileSync(cldrFile, 'utf8')).supplemental;
  // `_other` is the Windows zone, `_type` the IANA zone. Territory 001 is the world: its zone is the default.
  const zonePairs = windowsZones.mapTimezones.flatMap(({ mapZone: { _other, _territory, _type } }) =>
    _territory === '001' ? [[_other, _type]] : [],
  );
  return [
    '/** Time zones of Windows and those of the IANA database for them (CLDR, windowsZones, territory 001). */',
    `export const windowsZones: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(zonePairs), null, 2)};`,
    '',
  ].join('\n');
}
