import pg from 'pg';
import type { DestinationState, DestinationStates } from '../../../outbox/states.store.ts';
import type { Database } from '../database.ts';
import { queryEverywhere } from '../everywhere.ts';

/** The states of destinations in PostgreSQL, shared by all gateways on one database. */
export function createPostgresDestinationStates(database: Database): DestinationStates {
  return {
    async read(names) {
      // Of those whose node is away nothing is known: what is there for the others goes on.
      const rows =
        names.length === 0
          ? []
          : await queryEverywhere(database, ['destinations'], (table) => ({
              title: 'destinations',
              text: `SELECT name, paused_until, off_since, on_since FROM ${table('destinations')} d WHERE name IN (${names.map((name) => pg.escapeLiteral(name)).join(', ')})`,
            }));
      return new Map(
        rows.map(({ name, paused_until: pausedUntil, off_since: offSince, on_since: onSince }) => [
          name as string,
          { pausedUntil, offSince, onSince } as DestinationState,
        ]),
      );
    },
    async pause(name, until) {
      await database.query({
        name: 'pause destination',
        text: `INSERT INTO destinations AS d (name, paused_until) VALUES ($1, $2)
          ON CONFLICT (name) DO UPDATE SET paused_until = greatest(d.paused_until, excluded.paused_until)`,
        values: [name, until],
      });
    },
    async turnOff(name, version, since) {
      await database.query({
        name: 'turn destination off',
        text: `INSERT INTO destinations AS d (name, off_since) VALUES ($1, jsonb_build_object($2::text, $3::float8))
          ON CONFLICT (name) DO UPDATE SET off_since = excluded.off_since || d.off_since`,
        values: [name, version, since],
      });
    },
    async turnOn(name, since) {
      await database.query({
        name: 'turn destination on',
        text: `INSERT INTO destinations AS d (name, on_since) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET on_since = greatest(d.on_since, excluded.on_since)`,
        values: [name, since],
      });
    },
  };
}
