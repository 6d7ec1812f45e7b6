/**
 * English with the clock, week start and date order of the reader's region, which the browser's form controls
 * use too.
 */
export const locale = englishLocaleOf(new Intl.DateTimeFormat().resolvedOptions().locale);
/** Weekday number as in ISO 8601: 1 is Monday, 7 is Sunday. */
export const firstWeekday = firstWeekdayOf(locale);

function englishLocaleOf(language: string): string {
  const readerLocale = new Intl.Locale(language);
  if (readerLocale.language === 'en') return language;
  const { region } = readerLocale.maximize();
  return region ? `en-${region}` : 'en-GB';
}

const monday = 1;

interface WeekInfo {
  readonly firstDay: number;
}

/** Browsers without week data (Firefox before 142) get Monday. */
function firstWeekdayOf(localeName: string): number {
  const extendedLocale = new Intl.Locale(localeName) as Intl.Locale & {
    readonly getWeekInfo?: () => WeekInfo;
    readonly weekInfo?: WeekInfo;
  };
  return (extendedLocale.getWeekInfo?.() ?? extendedLocale.weekInfo)?.firstDay ?? monday;
}
