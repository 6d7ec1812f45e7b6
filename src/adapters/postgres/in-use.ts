import type { Statement } from './database.ts';

const inUse = "hashtext('resource-gateway in use')";

/** Held by each gateway on the session that listens, as long as that lasts; `mine` is false while the tables are rebuilt. */
export const lockInUse: Statement = {
  title: 'lock in use',
  text: `SELECT pg_try_advisory_lock_shared(${inUse}) AS mine`,
};

/** `mine` is false while a gateway uses the database. */
export const lockForRebuild: Statement = {
  title: 'lock for rebuild',
  text: `SELECT pg_try_advisory_lock(${inUse}) AS mine`,
};
