export const byAudience: readonly string[] = [
  `ALTER TABLE places ADD COLUMN open_change bigint NOT NULL DEFAULT 0, ADD COLUMN series_change bigint NOT NULL DEFAULT 0,
    ADD COLUMN open_updated_ms double precision NOT NULL DEFAULT 0, ADD COLUMN hidden_from jsonb`,
  `UPDATE places SET open_change = shared_change, series_change = CASE WHEN recurs THEN shared_change ELSE 0 END, open_updated_ms = updated_ms`,
];

/** SQL of `addressKey`. */
export const addressKey = (address: string): string =>
  `translate(${address}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`;

/** Derives primary calendars from calendar records. */
export const fillPrimaries = `INSERT INTO primaries SELECT DISTINCT ON (owner_key) owner_key, id FROM (
    SELECT ${addressKey("body ->> 'owner'")} AS owner_key, id, added, body FROM calendars) AS owned
    WHERE ${addressKey('id')} = owner_key OR NOT jsonb_exists(body, 'neverPrimary')
    ORDER BY owner_key, (${addressKey('id')} = owner_key) DESC, added`;

/** Derives calendar access and primary calendars from calendar records. */
const fillAccess: readonly string[] = [
  `TRUNCATE access, primaries`,
  `INSERT INTO access SELECT DISTINCT ${addressKey('address')}, id FROM calendars,
    LATERAL (SELECT body ->> 'owner' AS address UNION SELECT entry ->> 'email' FROM jsonb_array_elements(body -> 'acl') AS entry) AS named`,
  fillPrimaries,
];

/** Rebuilds keys of addresses, which had been case-folded by Unicode rules. */
export const byteByByte: readonly string[] = [
  ...fillAccess,
  // The guest of a copy is the owner of its calendar.
  `UPDATE events e SET body = jsonb_set(e.body, '{copies}', mended.copies) FROM (
    SELECT e.home_id, e.key, jsonb_object_agg(c.key, CASE WHEN c.value ? 'guest' AND k.id IS NOT NULL
      THEN jsonb_set(c.value, '{guest}', to_jsonb(${addressKey("k.body ->> 'owner'")})) ELSE c.value END) AS copies
    FROM events e, jsonb_each(e.body -> 'copies') AS c LEFT JOIN calendars k ON k.id = c.key
    GROUP BY e.home_id, e.key) AS mended
    WHERE mended.home_id = e.home_id AND mended.key = e.key AND mended.copies <> e.body -> 'copies'`,
];
