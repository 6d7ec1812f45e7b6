// Renders docs/ and the pages of the root as HTML into dist/docs, for the gateway to serve: the schema's page
// at `/schema`, the others below `/docs/`.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';

const root = fileURLToPath(new URL('../', import.meta.url));
const targetFolder = join(root, 'dist/docs');
const sources = ['', 'docs', 'docs/clients', 'docs/decisions'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** Returns the path of a page below `/docs/`: `docs/clients/README.md` is `clients`. */
const pagePathOf = (source) => source.replace(/^docs\//, '').replace(/(?<=.)\/README\.md$|\.md$/, '');
/** Returns the URL path at which the gateway serves a page. */
const urlPathOf = (source) => (source === 'docs/schema.md' ? '/schema' : `/docs/${pagePathOf(source)}`);

/** Returns the anchor of a heading, as GitHub forms it. */
const anchorOf = (heading) =>
  heading
    .replaceAll(/\[(.*?)\]\(.*?\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Renders one page. Links to files that are not served become text. */
function renderPage(source) {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (/^(https?:|#)/.test(href)) return `<a href="${href}">${text}</a>`;
        const [file, anchor] = href.split('#');
        const linkedSource = normalize(join(dirname(source), file));
        const linkTarget = urlPathOf(linkedSource) + (anchor ? `#${anchor}` : '');
        return sources.includes(linkedSource) ? `<a href="${linkTarget}">${text}</a>` : text;
      },
      image: ({ text }) => text,
    },
  });
  return marked.parse(readFileSync(join(root, source), 'utf8'));
}

rmSync(targetFolder, { recursive: true, force: true });
mkdirSync(targetFolder, { recursive: true });
for (const source of sources)
  writeFileSync(join(targetFolder, `${pagePathOf(source).replaceAll('/', '-')}.html`), renderPage(source));
