// Lints all files and checks types, like `npm run lint` and `npm run types`, but computes the types once.
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { LINTED_WITH_TYPES, PROJECTS } from '../eslint.config.js';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Reads the TypeScript configurations, and throws if one cannot be read. */
const parseHost = {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
  },
};
const programs = PROJECTS.map((project) => {
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(root + project, {}, parseHost);
  return ts.createProgram({
    rootNames: fileNames,
    options,
    configFileParsingDiagnostics: errors,
  });
});

const eslint = new ESLint({
  cwd: root,
  overrideConfig: { ...LINTED_WITH_TYPES, languageOptions: { parserOptions: { programs, project: null } } },
});
const results = await eslint.lintFiles('.');
console.log(await (await eslint.loadFormatter()).format(results));
const diagnostics = ts.sortAndDeduplicateDiagnostics(
  programs.flatMap((program) => ts.getPreEmitDiagnostics(program)),
);
console.log(
  ts.formatDiagnostics(diagnostics, {
    getCurrentDirectory: () => root,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  }),
);
const isClean = results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
process.exitCode = isClean && diagnostics.length === 0 ? 0 : 1;
