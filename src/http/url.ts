const hostHeader = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The host of a Host header without its port; undefined for a malformed one. */
export const hostOf = (header: string | undefined): string | undefined => hostHeader.exec(header ?? '')?.[1];

/** What a request to a proxy has before the path: scheme and host (RFC 9112, section 3.2.2). */
const origin = /^https?:\/\/[^/?#]*/i;

/** The path of a request's URL. The query may hold data of callers: it is never logged. */
export const pathOf = (url: string): string => url.replace(origin, '').replace(/[?#].*$/s, '');

/** The query of a request's URL, without its question mark. */
export const searchOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
