interface StartSettings {
  readonly demo: boolean;
  readonly databaseUrl?: string;
  readonly seedFile?: string;
}

/** Notices for operators on the data that a gateway starts with: loaded now, there from before, or none. */
export function dataNotices(
  { demo, databaseUrl, seedFile }: StartSettings,
  data: 'loaded' | 'filled before' | 'empty',
): string[] {
  return [
    ...(databaseUrl === undefined && !demo
      ? ['Everything is kept in memory and lost when the gateway stops. Set DATABASE_URL to keep it.']
      : []),
    ...(data === 'empty' ? ['The store starts empty. Set SEED_FILE to load calendars and buckets.'] : []),
    ...(data === 'filled before' && seedFile !== undefined
      ? ['SEED_FILE was not loaded: the database was filled before.']
      : []),
  ];
}
