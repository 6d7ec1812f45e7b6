const hostHeader = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The host of a Host header without its port; undefined for a header that is none. */
export const hostOf = (header: string | undefined): string | undefined => hostHeader.exec(header ?? '')?.[1];

/** The path of a request's URL: what its query holds is nobody's business. */
export const pathOf = (url: string): string => url.replace(/[?#].*$/s, '');

/** What follows the question mark of a request's URL. */
export const searchOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
