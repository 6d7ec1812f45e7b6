export const entryVersions: readonly string[] = [
  // The versions of the records that an entry was last made of. Where an entry and its records stand on different nodes, an older record may
  // be read after the entry; unknown in rows that gateways of an earlier release wrote.
  `ALTER TABLE places ADD COLUMN version integer, ADD COLUMN series_version integer`,
];
