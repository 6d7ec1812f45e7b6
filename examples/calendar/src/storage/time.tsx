import { useEffect, useState } from 'react';
import { locale } from '../ui/locale.ts';

const instantFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const relativeFormat = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
/** Units of a time from now, with their seconds; the largest one that fits is used. */
const unitSeconds = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
const refreshMs = 30_000;

/** Shows an instant in the reader's time zone and format, and how long ago it was. */
export function Time({ instant }: { readonly instant: string }) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), refreshMs);
    return () => clearInterval(timer);
  }, []);
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return instant;
  return (
    <time dateTime={instant}>
      {instantFormat.format(date)} ({describeTimeFromNow((date.getTime() - nowMs) / 1000)})
    </time>
  );
}

/** Describes a time relative to now: "2 hours ago". Negative seconds are in the past. */
function describeTimeFromNow(seconds: number): string {
  for (const [unit, secondsPerUnit] of unitSeconds) {
    if (Math.abs(seconds) >= secondsPerUnit)
      return relativeFormat.format(Math.trunc(seconds / secondsPerUnit), unit);
  }
  return 'just now';
}
