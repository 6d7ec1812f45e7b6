const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
const control = /[^\P{Cc}\t\n]/gu;
const loneSurrogate = /\p{Surrogate}/gu;

/** What people wrote, with `\n` alone as line breaks, without other control characters but tabs, and valid as UTF-8. */
export const cleaned = (text: string): string =>
  text.replace(lineBreak, '\n').replace(control, '').replace(loneSurrogate, '\ufffd');

/** The same on one line. */
export const onOneLine = (text: string): string =>
  cleaned(text)
    .replace(/[\n\t]+/g, ' ')
    .trim();

/** An address as it stands in headers: what no address can hold is taken out. */
export const plainAddress = (address: string): string => cleaned(address).replace(/[\n\t]/g, '');
