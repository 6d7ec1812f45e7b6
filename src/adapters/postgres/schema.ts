/** The columns that lists are asked by, as queries see them. */
export interface PlacesTable {
  readonly calendar_id: string;
  /** As `indexKey` writes it, like the iCalUID. */
  readonly event_id: string;
  /** The calendar with which the event itself is kept: its home, of an exception that of its series. */
  readonly home_id: string;
  readonly key: string;
  /** Of an exception: the key of its series. */
  readonly series_key: string | null;
  readonly position: number;
  /** The number of the last change of this event on this calendar. */
  readonly change: number;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly start_ms: number;
  /** A series, or longer than `longMs`: it is looked for by its end. */
  readonly long: boolean;
  readonly ical_uid: string | null;
  readonly cancelled: boolean;
  readonly recurs: boolean;
  /** An exception whose series is on this calendar too. */
  readonly along: boolean;
  /** The last change as everybody sees it, as those see it from whom guests are hidden, and the last one that anybody sees. */
  readonly updated_ms: number;
  readonly open_updated_ms: number;
  readonly latest_ms: number;
  /** By identity: the last change of what a user keeps here. */
  readonly viewers: Readonly<Record<string, number>> | null;
  /** The identities of readers from whom guests are hidden. */
  readonly hidden_from: readonly string[] | null;
  /** Those of the record and of its series when the entry was last written; null where a gateway of an earlier release wrote it. */
  readonly version: number | null;
  readonly series_version: number | null;
  /** The number of the last change while it was a series. */
  readonly series_change: number;
}
