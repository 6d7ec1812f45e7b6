import { countUtf8Bytes } from './characters.ts';

/** RFC 5321, section 4.5.3.1, and its erratum 1690: octets in UTF-8. */
const maxAddressOctets = 254;
const maxLocalPartOctets = 64;
/** RFC 1035, section 2.3.4: limit of the ASCII form of a domain. */
const maxDomainLength = 253;
/** Limit of a display name in characters. Longer names are cut, so that a thousand guests fit into a mail. */
export const maxNameLength = 256;

// Patterns have a single quantifier, so matching takes linear time.
const asciiPattern = /^[\x00-\x7f]*$/;
const atomPattern = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\-\u{80}-\u{10ffff}]+$/u;
const labelPattern = /^(?!-)[A-Za-z0-9\-\u{80}-\u{10ffff}]+(?<!-)$/u;
/** An ASCII label (RFC 5890, RFC 1035): letters, digits, and hyphens within. */
const asciiLabelPattern = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;
/** Invisible characters, except U+0020 and the two joiners that some scripts need. */
const invisiblePattern = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|[^\P{Zs}\x20]|[^\P{Cf}\u200c\u200d]/u;

const ipv4Pattern = /^\d+\.\d+\.\d+\.\d+$/;
/** Host that a URL keeps if an invalid one is assigned. */
const fallbackHost = 'none.invalid';

/**
 * Checks for an addr-spec (RFC 5322, section 3.4.1) as mail servers accept it: the Mailbox of RFC 5321, section 4.1.2,
 * with UTF-8 (RFC 6531), but without comments, folding white space and address literals (`user@[192.0.2.1]`).
 */
export function isEmail(text: string): boolean {
  // UTF-16 units never outnumber octets, so long texts need no encoding.
  if (text.length > maxAddressOctets || countUtf8Bytes(text) > maxAddressOctets) return false;
  if (invisiblePattern.test(text)) return false;
  const atIndex = text.lastIndexOf('@');
  return atIndex > 0 && isLocalPart(text.slice(0, atIndex)) && isDomain(text.slice(atIndex + 1));
}

/** Message for an invalid address. Names the mistake if it is a frequent one. */
export const emailProblem = (text: string): string =>
  /^\s*mailto:|<.*>/is.test(text)
    ? 'This must be the address alone: leave out "mailto:", and a name and the <> around it.'
    : 'This is not an e-mail address that RFC 5322 allows.';

/**
 * Returns the key by which addresses are compared everywhere: only ASCII letters become lower case. Look-alikes
 * (full-width letters, the Kelvin sign, composed accents, quoted local parts, encoded domains) stay different.
 */
export const addressKey = (address: string): string =>
  address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

function isLocalPart(localPart: string): boolean {
  return countUtf8Bytes(localPart) <= maxLocalPartOctets && (isDotAtom(localPart) || isQuoted(localPart));
}

/** Checks for atoms that are separated by dots (RFC 5322, section 3.2.3). */
function isDotAtom(text: string): boolean {
  return text.split('.').every((atomText) => atomPattern.test(atomText));
}

/** True for a quoted string without bare quotes and dangling backslashes. `invisiblePattern` was checked before. */
function isQuoted(text: string): boolean {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return false;
  const lastIndex = text.length - 1;
  for (let index = 1; index < lastIndex; index += 1) {
    if (text[index] === '"') return false;
    if (text[index] !== '\\') continue;
    index += 1;
    if (index === lastIndex || !asciiPattern.test(text.charAt(index))) return false;
  }
  return true;
}

function isDomain(domain: string): boolean {
  const labels = domain.split('.');
  if (!labels.every((label) => labelPattern.test(label))) return false;
  if (asciiPattern.test(domain)) return isAsciiDomain(domain);
  const asciiDomain = domainToASCII(domain);
  // Full-width dots would change the number of labels; digits of other scripts may form an IP address.
  return (
    asciiDomain.split('.').length === labels.length &&
    !ipv4Pattern.test(asciiDomain) &&
    isAsciiDomain(asciiDomain)
  );
}

function isAsciiDomain(domain: string): boolean {
  return (
    domain.length <= maxDomainLength && domain.split('.').every((label) => asciiLabelPattern.test(label))
  );
}

/** Converts a domain to ASCII by UTS #46, as in the URL standard; '' for an invalid domain. */
function domainToASCII(domain: string): string {
  const url = new URL(`ws://${fallbackHost}`);
  url.hostname = domain;
  return url.hostname === fallbackHost && domain !== fallbackHost ? '' : url.hostname;
}
