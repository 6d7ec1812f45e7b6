import { useEffect, useState } from 'react';

const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' });
const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
const refreshMs = 30_000;

/** A moment in the reader's time zone, and how long ago it was. */
export function Time({ moment }: { readonly moment: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), refreshMs);
    return () => clearInterval(timer);
  }, []);
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return moment;
  return (
    <time dateTime={moment}>
      {absolute.format(date)} ({distance((date.getTime() - now) / 1000)})
    </time>
  );
}

function distance(seconds: number): string {
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return 'just now';
}
