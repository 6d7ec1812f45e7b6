/** English words with the clock, week start and date order of the reader's region, which form controls use too. */
export const locale = localeOf(new Intl.DateTimeFormat().resolvedOptions().locale);
export const firstWeekday = firstWeekdayOf(locale);

function localeOf(language: string): string {
  const reader = new Intl.Locale(language);
  if (reader.language === 'en') return language;
  const { region } = reader.maximize();
  return region ? `en-${region}` : 'en-GB';
}

interface WeekInfo {
  readonly firstDay: number;
}

/** 1 is Monday, 7 is Sunday. Browsers without week data (Firefox before 142) get Monday. */
function firstWeekdayOf(name: string): number {
  const reader = new Intl.Locale(name) as Intl.Locale & {
    readonly getWeekInfo?: () => WeekInfo;
    readonly weekInfo?: WeekInfo;
  };
  return (reader.getWeekInfo?.() ?? reader.weekInfo)?.firstDay ?? 1;
}
