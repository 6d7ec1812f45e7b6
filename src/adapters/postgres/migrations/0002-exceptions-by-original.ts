/** Indexes exceptions by their original start. */
export const byOriginal: readonly string[] = [
  `DROP INDEX events_by_series`,
  `CREATE INDEX events_by_series ON events (home_id, series_key, (body #>> '{instance,original}')) WHERE series_key IS NOT NULL`,
];
