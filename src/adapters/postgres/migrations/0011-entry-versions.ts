/** Adds record versions to entries. */
export const entryVersions: readonly string[] = [
  // Versions of records when the entry was last written; null in rows of earlier releases. On a cluster, an older record may be read after its entry.
  `ALTER TABLE places ADD COLUMN version integer, ADD COLUMN series_version integer`,
];
