import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { escapeHtml } from '../core/text/characters.ts';
import { HttpError } from './face.ts';

/** Stylesheet of `renderHtmlPage`. The content security policy contains its hash. */
const style = `
  :root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
  table { display: block; overflow-x: auto; border-collapse: collapse; }
  th, td { padding: 0.3rem 0.6rem; border: 1px solid #8886; text-align: left; vertical-align: top; }
  pre { overflow-x: auto; padding: 0.6rem; background: #8882; }
  code { font-size: 0.95em; }
  dt { font-weight: bold; }
`;

/** Creates the headers of a page, with a content security policy that allows only what the `directives` name. */
export const createPageHeaders = (directives: readonly string[]): Readonly<Record<string, string>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    ...directives,
    ...["form-action 'none'", "frame-ancestors 'none'"],
  ].join('; '),
  'referrer-policy': 'no-referrer',
});

/** Headers of `renderHtmlPage`: nothing but the page's own style may load. */
export const pageHeaders = createPageHeaders([
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
]);

/** Reads a page of `dist`. Throws 404 if it was not built. */
export const readBuiltPage = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch(() => {
    throw new HttpError(404, 'notFound', 'The page was not built. Run "npm run build".');
  });

/** Renders a page without scripts. `title` is text, `body` is HTML. */
export const renderHtmlPage = (title: string, body: string): string => `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escapeHtml(title)}</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
${body}
    </main>
  </body>
</html>
`;
